// How a POST ended, as a value. Exactly one of several endings, each with what belongs to it; and,
// whatever the ending, how long each phase took and whom it reached.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/time.h"
#include "net/address_guard.h"
#include "net/connecting.h"
#include "net/dns_cache.h"
#include "net/response_head.h"
#include "net/tls_stream.h"

namespace net {

enum class Phase : uint8_t { kDns, kConnect, kTls, kWrite, kHead, kBody };
inline constexpr size_t kPhaseCount = 6;

// A complete head in time. The body is what was kept of it; trouble in it does not undo the head.
struct Response {
  ResponseHead head;
  std::string body;
  bool is_body_cut = false;
};
struct TimedOut {
  Phase phase;
};
struct NameFailed {
  DnsFailure failure;  // never kUnreachable: that is NotStarted
};
struct TlsFailed {
  TlsProblem problem;
};
struct BrokenOff {
  Phase phase;
};
struct Malformed {
  std::string_view problem;  // of static storage
};

using Ending = std::variant<Response, TimedOut, NameFailed, ConnectFailed, TlsFailed, TargetRefused,
                            BrokenOff, Malformed, NotStarted>;

struct Reply {
  Ending ending;
  std::array<base::Duration, kPhaseCount> times{};  // by Phase
  std::optional<SocketAddress> remote;              // the last that was connected to, or tried
  bool is_reused = false;                           // on a connection that had been used before
};

}  // namespace net
