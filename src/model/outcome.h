// How an attempt ended, as the transport saw it. A value, never an error: receivers fail all day.
//
// Kind and reason are stored; their numbers never change. The core decides by the kind, the status
// and the receiver's wish alone. What a person reads is in outcome_words.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/time.h"
#include "model/attempt_detail.h"

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

enum class OutcomeReason : uint8_t {
  kNone = 0,

  // Of kTimeout and kReset: how far the attempt had come.
  kInDns = 1,
  kInConnect = 2,
  kInTls = 3,
  kInWrite = 4,
  kInHead = 5,

  // Of kDnsFailed.
  kNoSuchName = 20,
  kNoAddress = 21,
  kServerFailure = 22,  // the name's servers fail or refuse to answer
  kNoAnswer = 23,       // they do not answer; our resolvers do

  // Of kConnectFailed.
  kRefused = 40,
  kUnreachable = 41,
  kRefusedByProxy = 42,  // the egress proxy was reached and could not, or would not, connect

  // Of kTlsFailed.
  kCertificateExpired = 60,
  kCertificateNotYetValid = 61,
  kSelfSigned = 62,
  kWrongHost = 63,
  kUntrustedRoot = 64,
  kIncompleteChain = 65,
  kInvalidCertificate = 66,  // weak, malformed, for another purpose
  kTlsVersion = 67,
  kClientCertificate = 68,  // the receiver wants one, or does not take ours
  kHandshake = 69,

  // Of kNotStarted.
  kNoDescriptors = 80,
  kNoMemory = 81,
  kConnectionLimit = 82,
  kNoLocalPort = 83,
  kProxyUnreachable = 84,
  kResolversUnreachable = 85,
  kNoRequest = 86,  // the request could not be made: its event or its secrets could not be read
};

struct Outcome {
  OutcomeKind kind = OutcomeKind::kResponse;
  uint16_t status = 0;                        // of kResponse, else 0
  std::optional<base::Duration> retry_after;  // what the receiver asked for, uncut
  OutcomeReason reason = OutcomeReason::kNone;
  std::shared_ptr<const AttemptDetail> detail;  // may be empty; no part of the value

  friend bool operator==(const Outcome& left, const Outcome& right) {
    return left.kind == right.kind && left.status == right.status &&
           left.retry_after == right.retry_after && left.reason == right.reason;
  }
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
