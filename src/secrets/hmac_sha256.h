// HMAC-SHA256 with the work that depends only on the key done once.
//
// What is kept is the two states of SHA-256 after the padded key, in undumpable memory; the key
// itself is not. EVP_MAC would keep the key in the ordinary heap, five times the memory, and take
// half as long again. Immutable, so threads may share it.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "secrets/secret_bytes.h"

namespace secrets {

class HmacSha256 {
 public:
  static constexpr size_t kDigestBytes = 32;
  using Digest = std::array<uint8_t, kDigestBytes>;

  explicit HmacSha256(std::span<const uint8_t> key);

  // Over the parts in a row, without copying them together.
  Digest digest(std::initializer_list<std::string_view> parts) const;

 private:
  SecretBytes states_;  // inner, outer
};

// Takes the same time wherever the two differ. False for any other length, empty included.
bool is_same_digest(const HmacSha256::Digest& expected, std::span<const uint8_t> received);

}  // namespace secrets
