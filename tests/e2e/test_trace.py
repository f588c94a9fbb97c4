"""A producer's trace goes on to the receivers, each attempt a span of its own. Usage: PROGRAM"""

import itertools
import json
import re
import sys
import tempfile
import unittest

from server_rig import Receiver, Server

PROGRAM = sys.argv[1]
TRACE = "0af7651916cd43dd8448eb211c80319c"
SPAN = "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE}-{SPAN}-01"
PASSED_ON = re.compile(rf"00-{TRACE}-(?!0{{16}})([0-9a-f]{{16}})-01")


class Traces(unittest.TestCase):
    def setUp(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        self.server = Server(PROGRAM, directory, {"retry.delays": "50ms,100ms,150ms"})
        self.addCleanup(self.server.kill)
        self.server.start()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)
        self.server.subscribe(self.receiver.url())

    def publish(self, traceparent, lines=1):
        body = b"".join(b'{"type":"a","payload":1}\n' for _ in range(lines))
        kind = "application/json" if lines == 1 else "application/x-ndjson"
        headers = {"Content-Type": kind} | ({"traceparent": traceparent} if traceparent else {})
        answer = self.server.call("POST", "/v1/events", body, headers)
        self.assertEqual(answer.status, 202, answer.body)
        return answer.lines

    def spans(self, webhooks):
        found = [PASSED_ON.fullmatch(webhook.headers["traceparent"]) for webhook in webhooks]
        self.assertNotIn(None, found)
        return [match.group(1) for match in found]

    def test_each_attempt_is_a_span_of_its_own_in_the_trace_of_the_producer(self):
        answers = itertools.chain([500, 503], itertools.repeat(200))
        self.receiver.respond = lambda webhook: next(answers)
        (published,) = self.publish(TRACEPARENT)
        spans = self.spans(self.receiver.wait(3))
        self.assertEqual(len({*spans, SPAN}), 4)
        story = self.server.call("GET", f"/v1/events/{published['id']}").json
        self.assertEqual(story["traceparent"], TRACEPARENT)

    def test_all_lines_of_a_request_belong_to_its_trace(self):
        self.publish(TRACEPARENT, lines=3)
        self.assertEqual(len(set(self.spans(self.receiver.wait(3)))), 3)

    def test_the_trace_survives_a_restart_and_a_redelivery(self):
        self.receiver.respond = lambda webhook: 410
        (published,) = self.publish(TRACEPARENT)
        delivery = published["deliveries"][0]["id"]
        self.server.wait(lambda: self.server.delivery(delivery)["state"] == "dropped", "dropped")
        before = len(self.receiver.webhooks)
        self.receiver.respond = lambda webhook: 200
        self.server.kill()
        self.server.start()
        answer = self.server.call("POST", f"/v1/deliveries/{delivery}/redeliver")
        self.assertEqual(answer.status, 202, answer.body)
        spans = self.spans(self.receiver.wait(before + 1))
        self.assertEqual(len(set(spans)), before + 1)

    def test_a_malformed_trace_is_ignored(self):
        malformed = [
            "",
            "ff" + TRACEPARENT[2:],
            TRACEPARENT.upper(),
            TRACEPARENT + "-00",
            f"00-{'0' * 32}-{SPAN}-01",
            f"00-{TRACE}-{'0' * 16}-01",
            TRACEPARENT[:-1],
        ]
        for traceparent in malformed:
            self.publish(traceparent)
        for webhook in self.receiver.wait(len(malformed)):
            self.assertIsNone(webhook.headers["traceparent"])

    def test_a_trace_that_is_there_twice_is_ignored(self):
        connection = self.server.connect()
        connection.putrequest("POST", "/v1/events")
        body = json.dumps({"type": "a", "payload": 1}).encode()
        for name, value in [
            ("Authorization", f"Bearer {self.server.key}"),
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            ("traceparent", TRACEPARENT),
            ("traceparent", TRACEPARENT),
        ]:
            connection.putheader(name, value)
        connection.endheaders(body)
        self.assertEqual(connection.getresponse().status, 202)
        connection.close()
        (webhook,) = self.receiver.wait(1)
        self.assertIsNone(webhook.headers["traceparent"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
