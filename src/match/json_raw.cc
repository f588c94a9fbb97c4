#include "match/json_raw.h"

#include <cstddef>

#include "base/check.h"

namespace match {
namespace {

// Walks over JSON that is known to be valid.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  size_t at() const { return at_; }
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
    while (here() != '"') {
      at_ += here() == '\\' ? 2 : 1;
    }
    return text_.substr(begin, at_++ - begin);
  }
  std::string_view take_value() {
    const size_t begin = at_;
    size_t depth = 0;
    do {
      depth = take_piece(depth);
    } while (depth > 0);
    return text_.substr(begin, at_ - begin);
  }

 private:
  // A bracket, a string, or everything up to the next of them; returns the depth after it.
  size_t take_piece(size_t depth) {
    switch (here()) {
      case '"':
        take_string();
        return depth;
      case '{':
      case '[':
        ++at_;
        return depth + 1;
      case '}':
      case ']':
        ++at_;
        return depth - 1;
      default:
        take_plain(depth > 0);
        return depth;
    }
  }

  // Numbers, words and, within brackets, what separates them.
  void take_plain(bool is_nested) {
    constexpr std::string_view kEnds = "\"{}[],: \t\r\n";
    constexpr std::string_view kNestedEnds = "\"{}[]";
    const size_t end = text_.find_first_of(is_nested ? kNestedEnds : kEnds, at_);
    at_ = end == std::string_view::npos ? text_.size() : end;
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
