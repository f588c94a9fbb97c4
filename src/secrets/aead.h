// Authenticated encryption: AES-256-GCM with a random nonce in front.
//
// A box is nonce | ciphertext | tag. It opens only under the same key and with the same context,
// byte for byte; the context is not stored. Random nonces of 96 bits are safe for 2^32 boxes a key;
// a tenant's data key seals a few per subscription.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "secrets/secret_bytes.h"

namespace secrets {

inline constexpr size_t kAeadKeyBytes = 32;
inline constexpr size_t kAeadNonceBytes = 12;
inline constexpr size_t kAeadTagBytes = 16;

void append_box(std::string& out, const SecretBytes& key, std::string_view context,
                std::span<const uint8_t> secret);
// Nothing if a single bit of box, key or context is not what it was.
std::optional<SecretBytes> open_box(const SecretBytes& key, std::string_view context,
                                    std::string_view box);

}  // namespace secrets
