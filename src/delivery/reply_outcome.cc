// From the client's vocabulary to the model's. One function per ending.
#include <utility>

#include "delivery/http_transport.h"
#include "net/retry_after.h"

namespace delivery {
namespace {

using model::AttemptDetail;
using model::Outcome;
using model::OutcomeKind;
using model::OutcomeReason;

OutcomeReason reason_of(net::Phase phase) {
  switch (phase) {
    case net::Phase::kDns:
      return OutcomeReason::kInDns;
    case net::Phase::kConnect:
      return OutcomeReason::kInConnect;
    case net::Phase::kTls:
      return OutcomeReason::kInTls;
    case net::Phase::kWrite:
      return OutcomeReason::kInWrite;
    case net::Phase::kHead:
    case net::Phase::kBody:
      break;
  }
  return OutcomeReason::kInHead;
}

OutcomeReason reason_of(net::DnsFailure failure) {
  switch (failure) {
    case net::DnsFailure::kNoSuchName:
      return OutcomeReason::kNoSuchName;
    case net::DnsFailure::kNoAddress:
      return OutcomeReason::kNoAddress;
    case net::DnsFailure::kServerFailure:
      return OutcomeReason::kServerFailure;
    case net::DnsFailure::kNoAnswer:
      return OutcomeReason::kNoAnswer;
    case net::DnsFailure::kUnreachable:
      break;
  }
  return OutcomeReason::kResolversUnreachable;
}

OutcomeReason reason_of(net::ConnectFailure failure) {
  switch (failure) {
    case net::ConnectFailure::kRefused:
      return OutcomeReason::kRefused;
    case net::ConnectFailure::kUnreachable:
      return OutcomeReason::kUnreachable;
    case net::ConnectFailure::kRefusedByProxy:
      break;
  }
  return OutcomeReason::kRefusedByProxy;
}

OutcomeReason reason_of(net::TlsFailure failure) {
  switch (failure) {
    case net::TlsFailure::kCertificateExpired:
      return OutcomeReason::kCertificateExpired;
    case net::TlsFailure::kCertificateNotYetValid:
      return OutcomeReason::kCertificateNotYetValid;
    case net::TlsFailure::kSelfSigned:
      return OutcomeReason::kSelfSigned;
    case net::TlsFailure::kWrongHost:
      return OutcomeReason::kWrongHost;
    case net::TlsFailure::kUntrustedRoot:
      return OutcomeReason::kUntrustedRoot;
    case net::TlsFailure::kIncompleteChain:
      return OutcomeReason::kIncompleteChain;
    case net::TlsFailure::kInvalidCertificate:
      return OutcomeReason::kInvalidCertificate;
    case net::TlsFailure::kVersion:
      return OutcomeReason::kTlsVersion;
    case net::TlsFailure::kClientCertificate:
      return OutcomeReason::kClientCertificate;
    case net::TlsFailure::kHandshake:
      break;
  }
  return OutcomeReason::kHandshake;
}

OutcomeReason reason_of(net::StartFailure failure) {
  switch (failure) {
    case net::StartFailure::kNoDescriptors:
      return OutcomeReason::kNoDescriptors;
    case net::StartFailure::kNoMemory:
      return OutcomeReason::kNoMemory;
    case net::StartFailure::kConnectionLimit:
      return OutcomeReason::kConnectionLimit;
    case net::StartFailure::kNoLocalPort:
      return OutcomeReason::kNoLocalPort;
    case net::StartFailure::kProxyUnreachable:
      return OutcomeReason::kProxyUnreachable;
    case net::StartFailure::kResolversUnreachable:
      return OutcomeReason::kResolversUnreachable;
    case net::StartFailure::kBadRequest:
      break;
  }
  return OutcomeReason::kNoRequest;
}

// Says how it ended, and adds what it knows to the detail.
struct Judge {
  AttemptDetail& detail;
  base::Instant wall_clock;

  Outcome operator()(net::Response& response) const {
    Outcome outcome{.kind = OutcomeKind::kResponse, .status = response.head.status};
    if (const auto wish = response.head.find("Retry-After")) {
      outcome.retry_after = net::parse_retry_after(*wish, wall_clock);
    }
    detail.response_headers = std::move(response.head.lines);
    detail.response_body = std::move(response.body);
    detail.is_body_cut = response.is_body_cut;
    return outcome;
  }
  Outcome operator()(const net::TimedOut& late) const {
    return {.kind = OutcomeKind::kTimeout, .reason = reason_of(late.phase)};
  }
  Outcome operator()(const net::NameFailed& name) const {
    return {.kind = OutcomeKind::kDnsFailed, .reason = reason_of(name.failure)};
  }
  Outcome operator()(const net::ConnectFailed& connect) const {
    return {.kind = OutcomeKind::kConnectFailed, .reason = reason_of(connect.failure)};
  }
  Outcome operator()(net::TlsFailed& tls) const {
    detail.explanation = std::move(tls.problem.explanation);
    return {.kind = OutcomeKind::kTlsFailed, .reason = reason_of(tls.problem.failure)};
  }
  Outcome operator()(const net::TargetRefused& refused) const {
    detail.explanation = to_words(refused.refusal);
    return {.kind = OutcomeKind::kAddressRefused};
  }
  Outcome operator()(const net::BrokenOff& broken) const {
    return {.kind = OutcomeKind::kReset, .reason = reason_of(broken.phase)};
  }
  Outcome operator()(const net::Malformed& malformed) const {
    detail.explanation = malformed.problem;
    return {.kind = OutcomeKind::kProtocolError};
  }
  Outcome operator()(const net::NotStarted& mine) const {
    return {.kind = OutcomeKind::kNotStarted, .reason = reason_of(mine.failure)};
  }
};

model::PhaseTimes phases_of(const net::Reply& reply) {
  const auto time = [&](net::Phase phase) { return reply.times[static_cast<size_t>(phase)]; };
  return {.dns = time(net::Phase::kDns),
          .connect = time(net::Phase::kConnect),
          .tls = time(net::Phase::kTls),
          .write = time(net::Phase::kWrite),
          .head = time(net::Phase::kHead),
          .body = time(net::Phase::kBody)};
}

}  // namespace

model::Outcome outcome_of(net::Reply reply, base::Instant wall_clock) {
  auto detail = std::make_shared<AttemptDetail>();
  detail->phases = phases_of(reply);
  detail->is_reused_connection = reply.is_reused;
  if (reply.remote.has_value()) {
    detail->remote_address = reply.remote->to_string();
  }
  Outcome outcome = std::visit(Judge{.detail = *detail, .wall_clock = wall_clock}, reply.ending);
  outcome.detail = std::move(detail);
  return outcome;
}

}  // namespace delivery
