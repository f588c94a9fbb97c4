#include "model/outcome_words.h"

#include <algorithm>
#include <array>

namespace model {
namespace {

struct KindWords {
  OutcomeKind kind;
  std::string_view name;
  std::string_view sentence;  // when there is no reason with words of its own
};

constexpr std::array kKinds = {
    KindWords{OutcomeKind::kResponse, "response", "The receiver answered"},
    KindWords{OutcomeKind::kTimeout, "timeout", "The deadline passed before a complete response"},
    KindWords{OutcomeKind::kDnsFailed, "dns_failed", "The host name could not be resolved"},
    KindWords{OutcomeKind::kConnectFailed, "connect_failed", "No connection could be made"},
    KindWords{OutcomeKind::kTlsFailed, "tls_failed", "No secure connection could be made"},
    KindWords{OutcomeKind::kAddressRefused, "address_refused",
              "Postrider does not send to this target"},
    KindWords{OutcomeKind::kReset, "reset", "The receiver broke the connection"},
    KindWords{OutcomeKind::kProtocolError, "protocol_error",
              "What came back is not a valid HTTP response"},
    KindWords{OutcomeKind::kNotStarted, "not_started",
              "The attempt could not start for a reason of Postrider's own; it does not count"},
};

struct ReasonWords {
  OutcomeKind kind;
  OutcomeReason reason;
  std::string_view name;
  std::string_view sentence;
};

using enum OutcomeKind;
using enum OutcomeReason;

constexpr std::array kReasons = {
    ReasonWords{kTimeout, kInDns, "in_dns",
                "The deadline passed while the host name was being resolved"},
    ReasonWords{kTimeout, kInConnect, "in_connect",
                "The deadline passed while connecting; the host does not answer"},
    ReasonWords{kTimeout, kInTls, "in_tls", "The deadline passed during the TLS handshake"},
    ReasonWords{
        kTimeout, kInWrite, "in_write",
        "The deadline passed while the request was being sent; the receiver reads too slowly"},
    ReasonWords{kTimeout, kInHead, "in_head",
                "The deadline passed while waiting for the response; the receiver should answer "
                "first and work afterwards"},

    ReasonWords{kReset, kInTls, "in_tls",
                "The receiver broke the connection during the TLS handshake"},
    ReasonWords{kReset, kInWrite, "in_write",
                "The receiver broke the connection while the request was being sent"},
    ReasonWords{kReset, kInHead, "in_head",
                "The receiver broke the connection before its response was complete"},

    ReasonWords{kDnsFailed, kNoSuchName, "no_such_name", "The host name does not exist"},
    ReasonWords{kDnsFailed, kNoAddress, "no_address", "The host name exists but has no address"},
    ReasonWords{kDnsFailed, kServerFailure, "server_failure",
                "The name servers of the host name fail"},
    ReasonWords{kDnsFailed, kNoAnswer, "no_answer",
                "The name servers of the host name do not answer"},

    ReasonWords{kConnectFailed, kRefused, "refused",
                "The connection was refused; nothing listens at this address and port"},
    ReasonWords{kConnectFailed, kUnreachable, "unreachable",
                "The host or its network is unreachable"},
    ReasonWords{kConnectFailed, kRefusedByProxy, "refused_by_proxy",
                "The egress proxy could not connect to the receiver"},

    ReasonWords{kTlsFailed, kCertificateExpired, "certificate_expired",
                "The receiver's certificate has expired"},
    ReasonWords{kTlsFailed, kCertificateNotYetValid, "certificate_not_yet_valid",
                "The receiver's certificate is not valid yet"},
    ReasonWords{kTlsFailed, kSelfSigned, "self_signed",
                "The receiver's certificate is self-signed; a private certificate authority can be "
                "set for the subscription"},
    ReasonWords{
        kTlsFailed, kWrongHost, "wrong_host",
        "The receiver's certificate is for another host; it must name this one as a subject "
        "alternative name"},
    ReasonWords{kTlsFailed, kUntrustedRoot, "untrusted_root",
                "The receiver's certificate leads to a root that is not trusted"},
    ReasonWords{kTlsFailed, kIncompleteChain, "incomplete_chain",
                "The issuer of the receiver's certificate is not known; the receiver must send its "
                "intermediate certificates too, or its root is not trusted"},
    ReasonWords{kTlsFailed, kInvalidCertificate, "invalid_certificate",
                "The receiver's certificate is not acceptable"},
    ReasonWords{kTlsFailed, kTlsVersion, "tls_version",
                "The receiver does not speak TLS 1.2 or newer"},
    ReasonWords{
        kTlsFailed, kClientCertificate, "client_certificate",
        "The receiver demands a client certificate or does not accept the one it was shown"},
    ReasonWords{kTlsFailed, kHandshake, "handshake", "The TLS handshake failed"},

    ReasonWords{kNotStarted, kNoDescriptors, "no_descriptors",
                "Not started: Postrider has no file descriptors left; raise its limit"},
    ReasonWords{kNotStarted, kNoMemory, "no_memory", "Not started: the machine is out of memory"},
    ReasonWords{kNotStarted, kConnectionLimit, "connection_limit",
                "Not started: Postrider has as many connections open as it may"},
    ReasonWords{kNotStarted, kNoLocalPort, "no_local_port",
                "Not started: no local port or source address is free"},
    ReasonWords{kNotStarted, kProxyUnreachable, "proxy_unreachable",
                "Not started: the egress proxy cannot be used"},
    ReasonWords{kNotStarted, kResolversUnreachable, "resolvers_unreachable",
                "Not started: none of Postrider's DNS servers can be reached"},
    ReasonWords{kNotStarted, kNoRequest, "no_request",
                "Not started: the request could not be put together"},
};

const KindWords& words_of(OutcomeKind kind) {
  return *std::ranges::find(kKinds, kind, &KindWords::kind);
}

std::string_view sentence_of(const Outcome& outcome) {
  for (const ReasonWords& words : kReasons) {
    if (words.kind == outcome.kind && words.reason == outcome.reason) {
      return words.sentence;
    }
  }
  return words_of(outcome.kind).sentence;
}

}  // namespace

std::string_view name_of(OutcomeKind kind) { return words_of(kind).name; }

std::string_view name_of(OutcomeReason reason) {
  const auto* words = std::ranges::find(kReasons, reason, &ReasonWords::reason);
  return words == kReasons.end() ? std::string_view() : words->name;
}

std::string describe(const Outcome& outcome) {
  std::string sentence(sentence_of(outcome));
  if (outcome.kind == kResponse) {
    sentence += " with status " + std::to_string(outcome.status);
  }
  if (outcome.detail != nullptr && !outcome.detail->explanation.empty()) {
    sentence += ": " + outcome.detail->explanation;
  }
  return sentence;
}

}  // namespace model
