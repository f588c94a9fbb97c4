#include "http/grammar.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace http {
namespace {

enum Kind : uint8_t { kToken = 1, kValue = 2 };

constexpr std::array<uint8_t, 256> make_kinds() {
  std::array<uint8_t, 256> kinds{};
  for (size_t code = 0; code < kinds.size(); ++code) {
    const bool is_control = (code < 0x20 && code != '\t') || code == 0x7f;
    kinds[code] = is_control ? 0 : kValue;
  }
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  constexpr std::string_view kDigits = "0123456789";
  for (const std::string_view set : {kMarks, kLetters, kDigits}) {
    for (const char character : set) {
      kinds[static_cast<unsigned char>(character)] |= kToken;
    }
  }
  return kinds;
}

constexpr std::array<uint8_t, 256> kKinds = make_kinds();

// All of them are looked at, without a branch for each: nearly always all are good.
bool are_all(std::string_view text, Kind kind) {
  uint8_t common = kind;
  for (const char character : text) {
    common &= kKinds[static_cast<unsigned char>(character)];
  }
  return common != 0;
}

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter | 0x20) : letter;
}

bool is_blank(char character) { return character == ' ' || character == '\t'; }

}  // namespace

bool is_token_character(char character) {
  return (kKinds[static_cast<unsigned char>(character)] & kToken) != 0;
}

bool is_token(std::string_view text) { return !text.empty() && are_all(text, kToken); }

bool is_field_value(std::string_view text) { return are_all(text, kValue); }

bool equals_ignoring_case(std::string_view left, std::string_view right) {
  return left.size() == right.size() && std::ranges::equal(left, right, {}, lower, lower);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

std::string_view take_list_element(std::string_view& list) {
  const size_t comma = list.find(',');
  const std::string_view element = trimmed(list.substr(0, comma));
  list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  return element;
}

}  // namespace http
