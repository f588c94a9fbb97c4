// TLS on a connected, non-blocking descriptor: OpenSSL reads and writes it by itself, without
// buffers of ours in between. That is what keeps an idle connection small.
//
// The receiver's certificate must chain to the identity's roots and carry the host as a subject
// alternative name; a common name counts for nothing.
#pragma once

#include <openssl/ssl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "net/address.h"
#include "net/io_result.h"
#include "net/tls_identity.h"

namespace net {

enum class TlsFailure : uint8_t {
  kCertificateExpired,
  kCertificateNotYetValid,
  kSelfSigned,
  kWrongHost,
  kUntrustedRoot,
  kIncompleteChain,  // the issuer of the leaf is unknown
  kInvalidCertificate,
  kVersion,
  kClientCertificate,
  kHandshake,
};

struct TlsProblem {
  TlsFailure failure = TlsFailure::kHandshake;
  std::string explanation;  // in OpenSSL's words
};

// Whose certificate is expected.
struct TlsPeer {
  std::string_view host;
  std::optional<Address> literal;  // set if the host is an address
};

class TlsStream {
 public:
  // Nothing if there is no memory. `resumed` may be null. The identity must outlive the stream.
  static std::unique_ptr<TlsStream> make(const TlsIdentity& identity, int descriptor,
                                         const TlsPeer& peer, SSL_SESSION* resumed);
  ~TlsStream();

  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // kDone when the connection is secure and the peer is who it should be. After kBroken,
  // problem() says why, or nothing if the connection merely broke.
  IoResult handshake();
  IoResult read(std::span<char> room);
  IoResult write(std::string_view bytes);

  // There may be more to read without waiting for the descriptor.
  bool has_pending() const { return SSL_has_pending(ssl_.get()) == 1; }
  const std::optional<TlsProblem>& problem() const { return problem_; }

  bool is_resumed() const { return SSL_session_reused(ssl_.get()) == 1; }
  // The newest session that the receiver offered since the last call, or null.
  SslSessionPtr take_session() { return std::move(session_); }

  // OpenSSL's callbacks, set by TlsIdentity.
  static int on_new_session(SSL* ssl, SSL_SESSION* session);
  // The receiver asks for a certificate, and we have none.
  static int on_certificate_wanted(SSL* ssl, X509** certificate, EVP_PKEY** key);

 private:
  explicit TlsStream(SslPtr ssl) : ssl_(std::move(ssl)) {}

  IoResult judge(int result, bool is_handshake);
  void note_problem(bool is_handshake);

  SslPtr ssl_;
  SslSessionPtr session_;
  std::optional<TlsProblem> problem_;
  bool is_certificate_wanted_ = false;
  bool is_broken_ = false;
};

}  // namespace net
