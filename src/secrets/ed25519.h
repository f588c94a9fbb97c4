// Ed25519 (RFC 8032), the pure variant: signatures that a receiver can check without being able to
// make them.
//
// A private key lives inside OpenSSL while it is in use, wiped when its owner goes. Unlike
// SecretBytes it can stand in a core dump; disable_core_dumps() is what keeps it from there.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "secrets/openssl.h"

namespace secrets {

inline constexpr size_t kEd25519KeyBytes = 32;  // of a seed, and of a public key
inline constexpr size_t kEd25519SignatureBytes = 64;

class Ed25519PublicKey {
 public:
  explicit Ed25519PublicKey(std::span<const uint8_t, kEd25519KeyBytes> key);

  bool verify(std::string_view message, std::span<const uint8_t> signature) const;

 private:
  Owned<EVP_PKEY> key_;
};

class Ed25519PrivateKey {
 public:
  using Signature = std::array<uint8_t, kEd25519SignatureBytes>;

  explicit Ed25519PrivateKey(std::span<const uint8_t, kEd25519KeyBytes> seed);

  Signature sign(std::string_view message) const;
  std::array<uint8_t, kEd25519KeyBytes> public_key() const;

 private:
  Owned<EVP_PKEY> key_;
};

}  // namespace secrets
