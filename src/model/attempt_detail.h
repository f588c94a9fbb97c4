// What is worth showing of one attempt beyond its outcome: how long each phase took, whom it
// reached, what came back. Recorded and shown; nothing is ever decided by it.
#pragma once

#include <string>

#include "base/time.h"

namespace model {

struct PhaseTimes {
  base::Duration dns;
  base::Duration connect;
  base::Duration tls;
  base::Duration write;
  base::Duration head;  // from the last byte of the request to the last of the response's head
  base::Duration body;
};

struct AttemptDetail {
  PhaseTimes phases;
  std::string remote_address;  // "192.0.2.1:443"; empty if no connection was made
  bool is_reused_connection = false;
  std::string response_headers;  // "Name: value\r\n" each, as received
  std::string response_body;     // a prefix of it
  bool is_body_cut = false;      // there was more
  // Specifics for a person that the outcome's reason lacks: which certificate error, what was
  // malformed. A phrase without a full stop; may be empty.
  std::string explanation;
};

}  // namespace model
