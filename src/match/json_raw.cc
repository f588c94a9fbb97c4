#include "match/json_raw.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/check.h"

namespace match {
namespace {

enum class Sign : uint8_t { kPlain, kQuote, kOpen, kClose };

constexpr std::array<Sign, 256> make_signs() {
  std::array<Sign, 256> signs{};
  signs['"'] = Sign::kQuote;
  signs['{'] = signs['['] = Sign::kOpen;
  signs['}'] = signs[']'] = Sign::kClose;
  return signs;
}

// Payloads are long and every event has one: a look into a table for each byte, and none for those
// within strings.
constexpr std::array<Sign, 256> kSigns = make_signs();

// Walks over JSON that is known to be valid.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  char here() const {
    CHECK_LT(at_, text_.size());
    return text_[at_];
  }
  void step() { ++at_; }
  void skip_blanks() {
    while (here() == ' ' || here() == '\t' || here() == '\n' || here() == '\r') {
      ++at_;
    }
  }
  // What is between the quotes, as it is spelt.
  std::string_view take_string() {
    const size_t begin = ++at_;
    do {
      const size_t quote = text_.find('"', at_);
      CHECK_NE(quote, std::string_view::npos);
      at_ = quote + 1;
    } while (is_escaped(at_ - 1, begin));
    return text_.substr(begin, at_ - 1 - begin);
  }
  std::string_view take_value() {
    const size_t begin = at_;
    if (kSigns[static_cast<unsigned char>(here())] == Sign::kPlain) {
      const size_t end = text_.find_first_of(",:]} \t\r\n", at_);
      at_ = std::min(end, text_.size());
    } else {
      take_nested();
    }
    return text_.substr(begin, at_ - begin);
  }

 private:
  // A string, or everything up to the bracket that closes the one here.
  void take_nested() {
    size_t depth = 0;
    do {
      switch (kSigns[static_cast<unsigned char>(here())]) {
        case Sign::kQuote:
          take_string();
          continue;
        case Sign::kOpen:
          ++depth;
          break;
        case Sign::kClose:
          --depth;
          break;
        case Sign::kPlain:
          break;
      }
      ++at_;
    } while (depth > 0);
  }

  // Whether an odd number of backslashes is before it.
  bool is_escaped(size_t quote, size_t begin) const {
    size_t first = quote;
    while (first > begin && text_[first - 1] == '\\') {
      --first;
    }
    return (quote - first) % 2 == 1;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::optional<std::string_view> raw_member(std::string_view text, std::string_view key) {
  Walk walk(text);
  walk.skip_blanks();
  if (walk.here() != '{') {
    return std::nullopt;
  }
  walk.step();
  walk.skip_blanks();
  while (walk.here() != '}') {
    const bool is_it = walk.take_string() == key;
    walk.skip_blanks();
    walk.step();  // the colon
    walk.skip_blanks();
    const std::string_view value = walk.take_value();
    if (is_it) {
      return value;
    }
    walk.skip_blanks();
    if (walk.here() == ',') {
      walk.step();
      walk.skip_blanks();
    }
  }
  return std::nullopt;
}

}  // namespace match
