// What an operator may set about the inbound server, what it counts, and what it hands requests to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "base/time.h"
#include "http/answer.h"
#include "http/patience.h"
#include "http/refusal.h"
#include "http/request.h"
#include "http/request_reader.h"
#include "http/response.h"

namespace http {

struct ServerOptions {
  RequestLimits limits;
  PatienceOptions patience;
  // How often it is looked for clients whose time is over: they get this much more at most.
  base::Duration patience_check_interval = base::Duration::ms(250);

  size_t connections_max = 10'000;
  // From one IPv4 address or one IPv6 /64. A proxy in front of us is one address: it needs as many
  // as all of its clients together.
  size_t connections_per_peer_max = 5'000;
  // Beyond connections_max: those that are being told why they cannot stay.
  size_t refused_connections_max = 64;
  base::Duration retry_after = base::Duration::seconds(1);  // what a refused connection is told

  // While more than this waits to be sent, a client's next requests wait unread.
  size_t unsent_bytes_max = size_t{256} * 1024;
  // A stream that has more than this to be sent is dropped.
  size_t stream_unsent_bytes_max = size_t{256} * 1024;

  // Of all connections together: requests that are not complete, answers that are not taken. While
  // there is more, bodies that come in pieces are told 503.
  size_t held_bytes_max = size_t{256} * 1024 * 1024;

  uint64_t request_id_seed = 0;  // different in every process, and for every server of it
};

// All since the start.
struct ServerCounts {
  uint64_t accepted = 0;
  uint64_t refused_connections = 0;  // for want of room
  uint64_t evicted = 0;              // idle, to make room
  uint64_t requests = 0;             // handed over
  uint64_t refused_requests = 0;     // malformed, too large or too slow
  uint64_t timed_out = 0;            // a client whose time was over, whatever it was doing
  uint64_t slow_readers = 0;         // of answers and streams
  uint64_t bytes_read = 0;
};

// What is served. Called on the loop's thread.
struct Site {
  // The request is valid during the call only; the answer may come later.
  std::function<void(const Request& request, Answer answer)> on_request;
  // How a refusal is put into words.
  std::function<Response(const Refusal& refusal, std::string_view request_id)> explain;
};

// The plain JSON that is the default of `explain`.
Response explain_as_json(const Refusal& refusal, std::string_view request_id);

}  // namespace http
