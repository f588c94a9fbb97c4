#include "secrets/base64.h"

#include <array>

namespace secrets {

namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kNoDigit = 0xff;

constexpr std::array<uint8_t, 256> kDigits = [] {
  std::array<uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<uint8_t>(kAlphabet[i])] = static_cast<uint8_t>(i);
  }
  return digits;
}();

// A group of four characters, of which the last `padding` are '='. Nothing if it has another
// character or bits that belong to no byte.
std::optional<uint32_t> decode_group(std::string_view group, size_t padding) {
  uint32_t bits = 0;
  for (size_t i = 0; i < group.size(); ++i) {
    const uint8_t digit =
        i < group.size() - padding ? kDigits[static_cast<uint8_t>(group[i])] : uint8_t{0};
    if (digit == kNoDigit) {
      return std::nullopt;
    }
    bits = bits << 6U | digit;
  }
  const uint32_t unused = (1U << (8 * padding)) - 1;
  return (bits & unused) == 0 ? std::optional(bits) : std::nullopt;
}

size_t padding_of(std::string_view text) {
  return text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
}

}  // namespace

void encode_base64(std::span<const uint8_t> bytes, char* out) {
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) {
      bits = bits << 8U | (k < count ? bytes[i + k] : 0U);
    }
    for (size_t k = 0; k < 4; ++k) {
      *out++ = k <= count ? kAlphabet[bits >> (18 - 6 * k) & 0x3fU] : '=';
    }
  }
}

void append_base64(std::string& out, std::span<const uint8_t> bytes) {
  const size_t before = out.size();
  out.resize(before + base64_size(bytes.size()));
  encode_base64(bytes, out.data() + before);
}

std::optional<size_t> decode_base64(std::string_view text, std::span<uint8_t> out) {
  const size_t padding = padding_of(text);
  const size_t size = text.size() / 4 * 3 - (text.empty() ? 0 : padding);
  if (text.size() % 4 != 0 || size > out.size()) {
    return std::nullopt;
  }
  size_t written = 0;
  for (size_t i = 0; i < text.size(); i += 4) {
    const size_t group_padding = i + 4 == text.size() ? padding : 0;
    const auto bits = decode_group(text.substr(i, 4), group_padding);
    if (!bits) {
      return std::nullopt;
    }
    for (size_t k = 0; k < 3 - group_padding; ++k) {
      out[written++] = static_cast<uint8_t>(*bits >> (16 - 8 * k));
    }
  }
  return written;
}

std::optional<SecretBytes> decode_base64_secret(std::string_view text) {
  SecretBytes bytes(text.size() / 4 * 3);
  const auto size = decode_base64(text, bytes.writable());
  if (!size) {
    return std::nullopt;
  }
  bytes.shorten(*size);
  return bytes;
}

}  // namespace secrets
