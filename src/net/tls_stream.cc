#include "net/tls_stream.h"

#include <openssl/err.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <utility>

namespace net {
namespace {

TlsFailure failure_of_certificate(const SSL* ssl, long verify_result) {
  switch (verify_result) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return TlsFailure::kCertificateExpired;
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return TlsFailure::kCertificateNotYetValid;
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      return TlsFailure::kSelfSigned;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return TlsFailure::kWrongHost;
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_UNTRUSTED:
    case X509_V_ERR_CERT_REJECTED:
      return TlsFailure::kUntrustedRoot;
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE: {
      // With nothing but a leaf it is the leaf's issuer that is unknown; with more, it is the end
      // of the chain.
      const STACK_OF(X509)* sent = SSL_get_peer_cert_chain(ssl);
      return sk_X509_num(sent) > 1 ? TlsFailure::kUntrustedRoot : TlsFailure::kIncompleteChain;
    }
    default:
      return TlsFailure::kInvalidCertificate;
  }
}

bool is_about_our_certificate(int reason) {
  switch (reason) {
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    case SSL_R_SSLV3_ALERT_NO_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_TLSV1_ALERT_ACCESS_DENIED:
      return true;
    default:
      return false;
  }
}

TlsFailure failure_of_handshake(int reason) {
  if (is_about_our_certificate(reason)) {
    return TlsFailure::kClientCertificate;
  }
  switch (reason) {
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
    case SSL_R_VERSION_TOO_LOW:
    case SSL_R_WRONG_SSL_VERSION:
      return TlsFailure::kVersion;
    case SSL_R_DH_KEY_TOO_SMALL:
    case SSL_R_EE_KEY_TOO_SMALL:
    case SSL_R_CA_KEY_TOO_SMALL:
    case SSL_R_CA_MD_TOO_WEAK:
      return TlsFailure::kInvalidCertificate;
    default:
      return TlsFailure::kHandshake;
  }
}

bool expect_peer(SSL* ssl, const TlsPeer& peer) {
  SSL_set_hostflags(ssl,
                    X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (peer.literal.has_value()) {
    const std::string text = peer.literal->to_string();
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), text.c_str()) == 1;
  }
  const std::string host(peer.host);
  return SSL_set1_host(ssl, host.c_str()) == 1 && SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
}

}  // namespace

std::unique_ptr<TlsStream> TlsStream::make(const TlsIdentity& identity, int descriptor,
                                           const TlsPeer& peer, SSL_SESSION* resumed) {
  ERR_clear_error();
  SslPtr ssl(SSL_new(identity.context()));
  if (ssl == nullptr || SSL_set_fd(ssl.get(), descriptor) != 1 || !expect_peer(ssl.get(), peer)) {
    ERR_clear_error();
    return nullptr;
  }
  if (resumed != nullptr) {
    SSL_set_session(ssl.get(), resumed);
  }
  SSL_set_connect_state(ssl.get());
  std::unique_ptr<TlsStream> stream(new TlsStream(std::move(ssl)));
  SSL_set_app_data(stream->ssl_.get(), stream.get());
  return stream;
}

// Says goodbye: an orderly end on the wire, and without it OpenSSL would not resume the session.
TlsStream::~TlsStream() {
  if (!is_broken_ && SSL_is_init_finished(ssl_.get()) == 1) {
    SSL_shutdown(ssl_.get());
    ERR_clear_error();
  }
}

int TlsStream::on_new_session(SSL* ssl, SSL_SESSION* session) {
  auto* stream = static_cast<TlsStream*>(SSL_get_app_data(ssl));
  if (stream == nullptr || SSL_SESSION_is_resumable(session) != 1) {
    return 0;
  }
  stream->session_.reset(session);
  return 1;  // The reference is ours now.
}

int TlsStream::on_certificate_wanted(SSL* ssl, X509** /*certificate*/, EVP_PKEY** /*key*/) {
  if (auto* stream = static_cast<TlsStream*>(SSL_get_app_data(ssl))) {
    stream->is_certificate_wanted_ = true;
  }
  return 0;  // Go on without.
}

IoResult TlsStream::handshake() {
  ERR_clear_error();
  return judge(SSL_do_handshake(ssl_.get()), true);
}

IoResult TlsStream::read(std::span<char> room) {
  ERR_clear_error();
  return judge(SSL_read(ssl_.get(), room.data(), static_cast<int>(room.size())), false);
}

IoResult TlsStream::write(std::string_view bytes) {
  ERR_clear_error();
  return judge(SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())), false);
}

IoResult TlsStream::judge(int result, bool is_handshake) {
  if (result > 0) {
    return {.state = IoState::kDone, .bytes = static_cast<size_t>(result)};
  }
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return {.state = IoState::kWantsRead};
    case SSL_ERROR_WANT_WRITE:
      return {.state = IoState::kWantsWrite};
    case SSL_ERROR_ZERO_RETURN:
      return {.state = IoState::kEnd};
    case SSL_ERROR_SSL:
      if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
        ERR_clear_error();
        return {.state = IoState::kEnd};  // No farewell, just an end.
      }
      note_problem(is_handshake);
      break;
    default:
      break;  // The system's error: the connection broke.
  }
  ERR_clear_error();
  is_broken_ = true;
  return {.state = IoState::kBroken};
}

void TlsStream::note_problem(bool is_handshake) {
  const unsigned long error = ERR_peek_error();
  const int reason = ERR_GET_REASON(error);
  const long verified = SSL_get_verify_result(ssl_.get());
  if (is_handshake && verified != X509_V_OK) {
    problem_ = {.failure = failure_of_certificate(ssl_.get(), verified),
                .explanation = X509_verify_cert_error_string(verified)};
  } else if (is_handshake || is_about_our_certificate(reason)) {
    const char* words = ERR_reason_error_string(error);
    // Up to TLS 1.2 there is no alert of its own for a certificate that was asked for in vain.
    const bool is_refused = reason == SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE && is_certificate_wanted_;
    problem_ = {
        .failure = is_refused ? TlsFailure::kClientCertificate : failure_of_handshake(reason),
        .explanation = words == nullptr ? "" : words};
  }
}

}  // namespace net
