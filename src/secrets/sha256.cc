#include "secrets/sha256.h"

#include "base/check.h"
#include "secrets/openssl.h"

namespace secrets {

Sha256 sha256(std::initializer_list<std::string_view> parts) {
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
  CHECK(context != nullptr);
  CHECK_EQ(EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr), 1);
  for (const std::string_view part : parts) {
    CHECK_EQ(EVP_DigestUpdate(context.get(), part.data(), part.size()), 1);
  }
  Sha256 digest;
  CHECK_EQ(EVP_DigestFinal_ex(context.get(), digest.data(), nullptr), 1);
  return digest;
}

}  // namespace secrets
