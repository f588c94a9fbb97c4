// Attempts on demand, for the end-to-end tests: reads one JSON object a line from standard input,
// makes the attempt with the production client, guard and resolver, and writes one line about how
// it ended. It adds nothing of its own to what happens between.
//
//   {"id":1,"url":"http://...","body_bytes":64,"deadline_ms":1500,"pool":7,"ca":"root.pem",
//    "cert":"client.pem","key":"client.key"}            pool and the files may be left out
//   {"id":2,"command":"stats"}
//
// Ports are not restricted here, because receivers under test get theirs from the system and because
// a refused port must not hide an address that was not refused.
