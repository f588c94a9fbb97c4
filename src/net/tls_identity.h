// Who we are and whom we trust on TLS connections: trusted roots, and optionally a client
// certificate. Made once per subscription that has its own, and once for all others.
//
// TLS 1.2 and newer; certificates are always verified. There is no switch to turn that off, and
// none shall be added: a private certificate authority can be trusted by giving its certificate.
#pragma once

#include <openssl/ssl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace net {

template <auto free_it>
struct OpensslDeleter {
  template <class T>
  void operator()(T* object) const {
    free_it(object);
  }
};

using SslContextPtr = std::unique_ptr<SSL_CTX, OpensslDeleter<SSL_CTX_free>>;
using SslPtr = std::unique_ptr<SSL, OpensslDeleter<SSL_free>>;
using SslSessionPtr = std::unique_ptr<SSL_SESSION, OpensslDeleter<SSL_SESSION_free>>;
using CertificateStorePtr = std::unique_ptr<X509_STORE, OpensslDeleter<X509_STORE_free>>;

// Certificates that others are trusted by. Parsed once, shared by many identities.
class TlsRoots {
 public:
  // What the operating system trusts.
  static base::Result<std::shared_ptr<const TlsRoots>> system();
  // These and no others, in PEM.
  static base::Result<std::shared_ptr<const TlsRoots>> from_pem(std::string_view pem);

  explicit TlsRoots(CertificateStorePtr store) : store_(std::move(store)) {}
  X509_STORE* store() const { return store_.get(); }

 private:
  CertificateStorePtr store_;
};

// A client certificate with its chain, the leaf first, and its key; both in PEM.
struct ClientCertificate {
  std::string certificate_pem;
  std::string key_pem;
};

class TlsIdentity {
 public:
  static base::Result<std::shared_ptr<const TlsIdentity>> make(const TlsRoots& roots);
  static base::Result<std::shared_ptr<const TlsIdentity>> make(const TlsRoots& roots,
                                                               const ClientCertificate& client);

  explicit TlsIdentity(SslContextPtr context);

  SSL_CTX* context() const { return context_.get(); }
  // Tells identities apart, as part of the key of a connection pool. Never given out twice, so that
  // nothing made under an identity that is gone is taken for its successor's.
  uint64_t id() const { return id_; }

 private:
  SslContextPtr context_;
  uint64_t id_;
};

}  // namespace net
