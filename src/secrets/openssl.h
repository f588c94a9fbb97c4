// Owners for what OpenSSL hands out. Included by the files of this folder that call it, and by
// nobody else.
#pragma once

#include <openssl/evp.h>

#include <memory>

namespace secrets {

struct OpensslFree {
  void operator()(EVP_CIPHER* it) const { EVP_CIPHER_free(it); }
  void operator()(EVP_CIPHER_CTX* it) const { EVP_CIPHER_CTX_free(it); }
  void operator()(EVP_MD_CTX* it) const { EVP_MD_CTX_free(it); }
  void operator()(EVP_PKEY* it) const { EVP_PKEY_free(it); }
};

template <class T>
using Owned = std::unique_ptr<T, OpensslFree>;

}  // namespace secrets
