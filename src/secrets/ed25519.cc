#include "secrets/ed25519.h"

#include "base/check.h"

namespace secrets {

namespace {

const uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}

Owned<EVP_MD_CTX> new_context() {
  Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
  CHECK(context != nullptr);
  return context;
}

}  // namespace

Ed25519PublicKey::Ed25519PublicKey(std::span<const uint8_t, kEd25519KeyBytes> key)
    : key_(EVP_PKEY_new_raw_public_key_ex(nullptr, "ED25519", nullptr, key.data(), key.size())) {
  CHECK(key_ != nullptr);
}

bool Ed25519PublicKey::verify(std::string_view message, std::span<const uint8_t> signature) const {
  if (signature.size() != kEd25519SignatureBytes) {
    return false;
  }
  const auto context = new_context();
  CHECK_EQ(EVP_DigestVerifyInit_ex(context.get(), nullptr, nullptr, nullptr, nullptr, key_.get(),
                                   nullptr),
           1);
  return EVP_DigestVerify(context.get(), signature.data(), signature.size(), bytes_of(message),
                          message.size()) == 1;
}

Ed25519PrivateKey::Ed25519PrivateKey(std::span<const uint8_t, kEd25519KeyBytes> seed)
    : key_(EVP_PKEY_new_raw_private_key_ex(nullptr, "ED25519", nullptr, seed.data(), seed.size())) {
  CHECK(key_ != nullptr);
}

Ed25519PrivateKey::Signature Ed25519PrivateKey::sign(std::string_view message) const {
  const auto context = new_context();
  CHECK_EQ(
      EVP_DigestSignInit_ex(context.get(), nullptr, nullptr, nullptr, nullptr, key_.get(), nullptr),
      1);
  Signature signature{};
  size_t size = signature.size();
  CHECK_EQ(
      EVP_DigestSign(context.get(), signature.data(), &size, bytes_of(message), message.size()), 1);
  CHECK_EQ(size, signature.size());
  return signature;
}

std::array<uint8_t, kEd25519KeyBytes> Ed25519PrivateKey::public_key() const {
  std::array<uint8_t, kEd25519KeyBytes> key{};
  size_t size = key.size();
  CHECK_EQ(EVP_PKEY_get_raw_public_key(key_.get(), key.data(), &size), 1);
  CHECK_EQ(size, key.size());
  return key;
}

}  // namespace secrets
