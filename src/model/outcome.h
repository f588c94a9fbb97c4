// How an attempt ended, as the transport saw it. A value, never an error: receivers fail all day.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"

namespace model {

enum class OutcomeKind : uint8_t {
  kResponse,        // a status line and headers arrived in time; see `status`
  kTimeout,         // the deadline passed
  kDnsFailed,       // the name has no usable address
  kConnectFailed,   // refused or unreachable
  kTlsFailed,       // handshake or certificate
  kAddressRefused,  // our own guard: the address is forbidden
  kReset,           // the connection broke before the headers were complete
  kProtocolError,   // what came back is not HTTP
  kNotStarted,      // a reason of our own (descriptors, memory, resolver): this is no attempt
};

struct Outcome {
  OutcomeKind kind = OutcomeKind::kResponse;
  uint16_t status = 0;                        // of kResponse, else 0
  std::optional<base::Duration> retry_after;  // what the receiver asked for, uncut

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

constexpr bool is_success(const Outcome& outcome) {
  return outcome.kind == OutcomeKind::kResponse && outcome.status >= 200 && outcome.status < 300;
}

// Only these two statuses may ask for patience.
constexpr bool honours_retry_after(const Outcome& outcome) {
  return outcome.retry_after.has_value() && outcome.kind == OutcomeKind::kResponse &&
         (outcome.status == 429 || outcome.status == 503);
}

}  // namespace model
