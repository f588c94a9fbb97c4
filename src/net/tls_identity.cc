#include "net/tls_identity.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "net/tls_stream.h"

namespace net {
namespace {

using BioPtr = std::unique_ptr<BIO, OpensslDeleter<BIO_free>>;
using CertificatePtr = std::unique_ptr<X509, OpensslDeleter<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, OpensslDeleter<EVP_PKEY_free>>;

BioPtr reading(std::string_view text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

CertificatePtr next_certificate(BIO* bio) {
  return CertificatePtr(PEM_read_bio_X509(bio, nullptr, nullptr, nullptr));
}

std::unexpected<base::Error> invalid(std::string detail) {
  ERR_clear_error();  // What OpenSSL says about PEM helps nobody, and might quote a key.
  return base::fail(base::ErrorCode::kInvalid, std::move(detail));
}

// A key behind a passphrase must not make the server ask for it on its terminal.
int no_passphrase(char* /*buffer*/, int /*size*/, int /*is_write*/, void* /*argument*/) {
  return -1;
}

// A directory in which certificates are found by the hash of their name, as c_rehash makes it.
bool is_hashed(const std::string& directory) {
  std::error_code error;
  const std::filesystem::directory_iterator files(directory, error);
  return !error && std::any_of(begin(files), end(files),
                               [](const auto& file) { return file.path().extension() == ".0"; });
}

// Reading the one large file with all of them takes a tenth of a second; from the directory each is
// read when it is needed.
bool load_system_certificates(X509_STORE* store) {
  const std::string directory = X509_get_default_cert_dir();
  return is_hashed(directory) ? X509_STORE_load_path(store, directory.c_str()) == 1
                              : X509_STORE_load_file(store, X509_get_default_cert_file()) == 1;
}

base::Result<SslContextPtr> make_context(const TlsRoots& roots) {
  SslContextPtr context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr) {
    return base::fail(base::ErrorCode::kUnavailable, "OpenSSL cannot make a TLS context");
  }
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // Buffers only while there is something in them: most connections are idle.
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(context.get(), 1);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set1_cert_store(context.get(), roots.store());
  // Sessions are kept by the connection pool, not by OpenSSL: never shared between endpoints.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context.get(), TlsStream::on_new_session);
  return context;
}

base::Result<void> use_certificate(SSL_CTX* context, const ClientCertificate& client) {
  const BioPtr chain = reading(client.certificate_pem);
  const CertificatePtr leaf = next_certificate(chain.get());
  if (leaf == nullptr || SSL_CTX_use_certificate(context, leaf.get()) != 1) {
    return invalid("the client certificate is not a PEM certificate");
  }
  while (CertificatePtr issuer = next_certificate(chain.get())) {
    if (SSL_CTX_add1_chain_cert(context, issuer.get()) != 1) {
      return invalid("a certificate after the client certificate cannot be used");
    }
  }
  const BioPtr key_text = reading(client.key_pem);
  const KeyPtr key(PEM_read_bio_PrivateKey(key_text.get(), nullptr, no_passphrase, nullptr));
  if (key == nullptr) {
    return invalid("the key of the client certificate is not a PEM key without a passphrase");
  }
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return invalid("the key does not belong to the client certificate");
  }
  ERR_clear_error();
  return {};
}

}  // namespace

base::Result<std::shared_ptr<const TlsRoots>> TlsRoots::system() {
  CertificateStorePtr store(X509_STORE_new());
  if (store == nullptr || !load_system_certificates(store.get())) {
    return base::fail(base::ErrorCode::kUnavailable,
                      "the system's trusted certificates cannot be read");
  }
  return std::make_shared<const TlsRoots>(std::move(store));
}

base::Result<std::shared_ptr<const TlsRoots>> TlsRoots::from_pem(std::string_view pem) {
  CertificateStorePtr store(X509_STORE_new());
  if (store == nullptr) {
    return base::fail(base::ErrorCode::kUnavailable, "OpenSSL is out of memory");
  }
  const BioPtr bio = reading(pem);
  int count = 0;
  while (const CertificatePtr certificate = next_certificate(bio.get())) {
    X509_STORE_add_cert(store.get(), certificate.get());
    count += 1;
  }
  if (count == 0) {
    return invalid("there is no PEM certificate among the trusted certificates");
  }
  ERR_clear_error();
  return std::make_shared<const TlsRoots>(std::move(store));
}

TlsIdentity::TlsIdentity(SslContextPtr context) : context_(std::move(context)) {
  static std::atomic<uint64_t> last_id{0};
  id_ = ++last_id;
}

base::Result<std::shared_ptr<const TlsIdentity>> TlsIdentity::make(const TlsRoots& roots) {
  TRY(SslContextPtr context, make_context(roots));
  SSL_CTX_set_client_cert_cb(context.get(), TlsStream::on_certificate_wanted);
  return std::make_shared<const TlsIdentity>(std::move(context));
}

base::Result<std::shared_ptr<const TlsIdentity>> TlsIdentity::make(
    const TlsRoots& roots, const ClientCertificate& client) {
  TRY(SslContextPtr context, make_context(roots));
  const auto used = use_certificate(context.get(), client);
  if (!used.has_value()) {
    return std::unexpected(used.error());
  }
  return std::make_shared<const TlsIdentity>(std::move(context));
}

}  // namespace net
