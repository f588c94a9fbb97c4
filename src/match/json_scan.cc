#include "match/json_scan.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

#include "match/json.h"

namespace match {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

// The length of the UTF-8 sequence at the front, 0 if there is none.
size_t utf8_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) {
    return 1;
  }
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) {
    return 0;
  }
  for (size_t index = 1; index < length; ++index) {
    if (!is_continuation(text[index])) {
      return 0;
    }
  }
  const auto second = static_cast<unsigned char>(text[1]);
  const bool is_overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool is_no_character =
      (first == 0xed && second >= 0xa0) || (first == 0xf4 && second > 0x8f);
  return is_overlong || is_no_character ? 0 : length;
}

// The exponent of a number, cut to a range that no count of digits in a text can outweigh.
int64_t exponent_of(std::string_view number) {
  constexpr int64_t kMost = int64_t{1} << 40U;
  const size_t letter = number.find_first_of("eE");
  if (letter == std::string_view::npos) {
    return 0;
  }
  number.remove_prefix(letter + 1);
  if (number.starts_with('+')) {
    number.remove_prefix(1);
  }
  int64_t exponent = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), exponent);
  const bool is_huge = read.ec != std::errc() || exponent > kMost || exponent < -kMost;
  return !is_huge ? exponent : number.starts_with('-') ? -kMost : kMost;
}

// Whether a number that from_chars() calls out of range is so because it is too small, which is as
// good as 0: the power of ten of its first digit other than 0 says it.
bool is_tiny(std::string_view number) {
  const std::string_view digits = number.substr(0, number.find_first_of("eE"));
  const auto point = static_cast<int64_t>(std::min(digits.find('.'), digits.size()));
  const auto first = static_cast<int64_t>(digits.find_first_of("123456789"));
  return point - first + exponent_of(number) < 0;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  JsonScan run() {
    skip_space();
    if (at_end()) {
      refuse("there is no JSON here");
    } else if (value(0)) {
      skip_space();
      if (!at_end()) {
        refuse("something follows the end of the JSON");
      }
    }
    return std::move(scan_);
  }

 private:
  bool at_end() const { return at_ == text_.size(); }
  bool is_at(char c) const { return !at_end() && text_[at_] == c; }

  bool refuse(std::string_view what) { return refuse_at(at_, what); }
  bool refuse_at(size_t offset, std::string_view what) {
    if (!scan_.fault.has_value()) {
      scan_.fault = JsonFault{.offset = offset, .what = what};
    }
    return false;
  }

  void skip_space() {
    while (!at_end() && std::string_view(" \t\n\r").contains(text_[at_])) {
      ++at_;
    }
  }

  bool take(char c) {
    if (!is_at(c)) {
      return false;
    }
    ++at_;
    return true;
  }

  // `depth`: how many arrays and objects are around it.
  bool value(size_t depth) {
    if (at_end()) {
      return refuse("the text ends where a value should be");
    }
    const char c = text_[at_];
    if (c == '{' || c == '[') {
      if (depth == kJsonDepthMax) {
        return refuse("nested more than 64 deep");
      }
      return c == '{' ? object(depth + 1) : array(depth + 1);
    }
    if (c == '"') {
      return string();
    }
    if (c == '-' || is_digit(c)) {
      return number();
    }
    return word("true") || word("false") || word("null") ||
           refuse(
               "expected a value: an object, a list, a string in double quotes, a number, "
               "true, false or null");
  }

  bool word(std::string_view expected) {
    const std::string_view rest = text_.substr(at_);
    const std::string_view behind =
        rest.size() > expected.size() ? rest.substr(expected.size()) : "";
    const bool ends = behind.empty() || std::string_view(" \t\n\r,:]}[{").contains(behind[0]);
    if (!rest.starts_with(expected) || !ends) {
      return false;
    }
    at_ += expected.size();
    return true;
  }

  bool array(size_t depth) {
    ++at_;
    skip_space();
    if (take(']')) {
      return true;
    }
    while (true) {
      skip_space();
      if (!value(depth)) {
        return false;
      }
      skip_space();
      if (take(']')) {
        return true;
      }
      if (!take(',')) {
        return refuse("expected ',' or ']' after an element of a list");
      }
    }
  }

  bool object(size_t depth) {
    ++at_;
    skip_space();
    if (take('}')) {
      return true;
    }
    while (true) {
      if (!member(depth)) {
        return false;
      }
      if (take('}')) {
        return true;
      }
      if (!take(',')) {
        return refuse("expected ',' or '}' after a member of an object");
      }
    }
  }

  bool member(size_t depth) {
    skip_space();
    if (!is_at('"')) {
      return refuse("expected a key in double quotes");
    }
    if (!string()) {
      return false;
    }
    skip_space();
    if (!take(':')) {
      return refuse("expected ':' after a key");
    }
    skip_space();
    if (!value(depth)) {
      return false;
    }
    skip_space();
    return true;
  }

  bool string() {
    const size_t begin = at_;
    ++at_;
    while (!at_end()) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20) {
        return refuse("a control character in a string; write it as \\u00XX");
      }
      if (!(c == '\\' ? escape() : character())) {
        return false;
      }
    }
    return refuse_at(begin, "this string is never closed");
  }

  bool character() {
    const size_t length = utf8_length(text_.substr(at_));
    if (length == 0) {
      return refuse("these bytes are not UTF-8");
    }
    at_ += length;
    return true;
  }

  bool escape() {
    const std::string_view rest = text_.substr(at_ + 1);
    if (rest.empty()) {
      return refuse("the text ends within a string");
    }
    if (rest[0] == 'u') {
      return unicode_escape();
    }
    if (!std::string_view("\"\\/bfnrt").contains(rest[0])) {
      return refuse("there is no such escape; a backslash itself is written \\\\");
    }
    at_ += 2;
    return true;
  }

  bool unicode_escape() {
    const size_t begin = at_;
    const std::optional<uint32_t> first = code_unit();
    if (!first.has_value()) {
      return refuse_at(begin, "\\u needs four hexadecimal digits");
    }
    if (*first < 0xd800 || *first > 0xdfff) {
      return true;
    }
    const std::optional<uint32_t> second = *first < 0xdc00 ? code_unit() : std::nullopt;
    if (!second.has_value() || *second < 0xdc00 || *second > 0xdfff) {
      return refuse_at(begin, "half of a surrogate pair; both halves belong together");
    }
    return true;
  }

  std::optional<uint32_t> code_unit() {
    const std::string_view escape = text_.substr(at_, 6);
    if (escape.size() < 6 || !escape.starts_with("\\u")) {
      return std::nullopt;
    }
    uint32_t unit = 0;
    const char* end = escape.data() + escape.size();
    const auto read = std::from_chars(escape.data() + 2, end, unit, 16);
    if (read.ptr != end || !is_hex_digit(escape[2])) {
      return std::nullopt;
    }
    at_ += 6;
    return unit;
  }

  bool digits() {
    const size_t begin = at_;
    while (!at_end() && is_digit(text_[at_])) {
      ++at_;
    }
    return at_ > begin;
  }

  bool number() {
    const size_t begin = at_;
    take('-');
    if (!take('0') && !digits()) {
      return refuse_at(begin, "a number needs a digit after '-'");
    }
    if (!at_end() && is_digit(text_[at_])) {
      return refuse_at(begin, "a number may not begin with 0 and more digits");
    }
    bool is_integer = true;
    if (take('.')) {
      is_integer = false;
      if (!digits()) {
        return refuse_at(begin, "a number needs a digit after its point");
      }
    }
    if (take('e') || take('E')) {
      is_integer = false;
      if (!take('-')) {
        take('+');
      }
      if (!digits()) {
        return refuse_at(begin, "a number needs a digit in its exponent");
      }
    }
    return judge_range(begin, is_integer);
  }

  bool judge_range(size_t begin, bool is_integer) {
    const std::string_view number = text_.substr(begin, at_ - begin);
    if (is_integer && fits_64_bits(number)) {
      return true;
    }
    double value = 0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
    if (read.ec == std::errc::result_out_of_range && !is_tiny(number)) {
      return refuse_at(begin, "this number is larger than any that can be kept (1.8e308)");
    }
    if (is_integer) {
      scan_.wide_integer_ends.push_back(at_);
    }
    return true;
  }

  static bool fits_64_bits(std::string_view number) {
    const char* begin = number.data();
    const char* end = begin + number.size();
    int64_t integer = 0;
    uint64_t natural = 0;
    return std::from_chars(begin, end, integer).ec == std::errc() ||
           std::from_chars(begin, end, natural).ec == std::errc();
  }

  std::string_view text_;
  size_t at_ = 0;
  JsonScan scan_;
};

}  // namespace

JsonScan scan_json(std::string_view text) { return Scanner(text).run(); }

}  // namespace match
