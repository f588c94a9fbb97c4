#include "http/percent.h"

#include <algorithm>
#include <cstddef>

namespace http {
namespace {

int digit_of(char character) {
  if (character >= '0' && character <= '9') {
    return character - '0';
  }
  const char small = static_cast<char>(character | 0x20);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

// The byte of "%41" at the beginning of `text`, or -1.
int escaped_byte(std::string_view text) {
  if (text.size() < 3) {
    return -1;
  }
  const int high = digit_of(text[1]);
  const int low = digit_of(text[2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

bool is_control(char character) {
  const auto code = static_cast<unsigned char>(character);
  return code < 0x20 || code == 0x7f;
}

// How many bytes the UTF-8 sequence at the beginning of `text` has; 0 if it is none.
size_t utf8_size(std::string_view text) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned first = byte(0);
  if (first < 0x80) {
    return 1;
  }
  const size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) {
    return 0;
  }
  for (size_t at = 1; at < size; ++at) {
    if ((byte(at) & 0xc0U) != 0x80) {
      return 0;
    }
  }
  // Overlong forms, surrogates, and beyond U+10FFFF.
  const unsigned second = byte(1);
  const bool is_wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return is_wrong ? 0 : size;
}

bool is_text(std::string_view text) {
  while (!text.empty()) {
    const size_t size = utf8_size(text);
    if (size == 0 || is_control(text.front())) {
      return false;
    }
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text, Plus plus) {
  std::string decoded;
  decoded.reserve(text.size());
  while (!text.empty()) {
    const char character = text.front();
    if (character != '%') {
      decoded += character == '+' && plus == Plus::kIsBlank ? ' ' : character;
      text.remove_prefix(1);
      continue;
    }
    const int byte = escaped_byte(text);
    if (byte < 0) {
      return std::nullopt;
    }
    decoded += static_cast<char>(byte);
    text.remove_prefix(3);
  }
  return is_text(decoded) ? std::optional(std::move(decoded)) : std::nullopt;
}

}  // namespace http
