// Standard base64 (RFC 4648 section 4), padded, in exactly one spelling per value.
//
// The decoder refuses what others forgive: missing padding, line breaks, the URL alphabet, bits
// that no byte needs. A signature thus has one text and not four, and a secret that we accept reads
// the same in every library of our receivers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "secrets/secret_bytes.h"

namespace secrets {

constexpr size_t base64_size(size_t byte_count) { return (byte_count + 2) / 3 * 4; }

// Writes base64_size(bytes.size()) characters.
void encode_base64(std::span<const uint8_t> bytes, char* out);
void append_base64(std::string& out, std::span<const uint8_t> bytes);

// How many bytes were written, or nothing if the text is not base64 or does not fit.
std::optional<size_t> decode_base64(std::string_view text, std::span<uint8_t> out);
std::optional<SecretBytes> decode_base64_secret(std::string_view text);

}  // namespace secrets
