// Certificates for tests, made while they run: good ones, and wrong in every way that matters.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

#include "base/check.h"
#include "base/hash.h"
#include "net/tls_identity.h"

namespace net {

struct TestCertificate {
  std::unique_ptr<X509, OpensslDeleter<X509_free>> certificate;
  std::unique_ptr<EVP_PKEY, OpensslDeleter<EVP_PKEY_free>> key;

  std::string pem() const {
    return text([this](BIO* bio) { PEM_write_bio_X509(bio, certificate.get()); });
  }
  std::string key_pem() const {
    return text([this](BIO* bio) {
      PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
  }

 private:
  template <class Write>
  static std::string text(Write write) {
    const std::unique_ptr<BIO, OpensslDeleter<BIO_free>> bio(BIO_new(BIO_s_mem()));
    write(bio.get());
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &bytes);
    return {bytes, static_cast<size_t>(size)};
  }
};

struct TestCertificateOptions {
  std::string common_name = "test";
  std::string alternative_names = "IP:127.0.0.1";  // "DNS:a.example,IP:127.0.0.1"; may be empty
  long valid_from_seconds = -3600;                 // from now
  long valid_until_seconds = 3600;
  bool is_authority = false;
  const TestCertificate* issuer = nullptr;  // null: self-signed
};

inline void add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  CHECK(extension != nullptr);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

inline TestCertificate make_certificate(const TestCertificateOptions& options) {
  TestCertificate made;
  made.key.reset(EVP_EC_gen("P-256"));
  made.certificate.reset(X509_new());
  X509* certificate = made.certificate.get();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate),
                   static_cast<long>(base::hash_bytes(options.common_name) >> 33U) + 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), options.valid_from_seconds);
  X509_gmtime_adj(X509_getm_notAfter(certificate), options.valid_until_seconds);
  X509_set_pubkey(certificate, made.key.get());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(options.common_name.c_str()),
                             -1, -1, 0);
  X509* issuer = options.issuer == nullptr ? certificate : options.issuer->certificate.get();
  X509_set_issuer_name(certificate, X509_get_subject_name(issuer));
  add_extension(certificate, issuer, NID_basic_constraints,
                options.is_authority ? "critical,CA:TRUE" : "critical,CA:FALSE");
  if (!options.alternative_names.empty()) {
    add_extension(certificate, issuer, NID_subject_alt_name, options.alternative_names);
  }
  EVP_PKEY* signer = options.issuer == nullptr ? made.key.get() : options.issuer->key.get();
  CHECK(X509_sign(certificate, signer, EVP_sha256()) > 0);
  return made;
}

}  // namespace net
