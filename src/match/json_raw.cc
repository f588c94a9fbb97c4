#include "match/json_raw.h"

#include <cstddef>

#include "base/check.h"

namespace match {
namespace {

class Walk {
 public:
  Walk(std::string_view text, std::span<const uint32_t> places) : text_(text), places_(places) {}

  char sign(size_t index) const { return text_[place(index)]; }
  // Whether the string that begins there is spelt just so.
  bool is_spelt(size_t index, std::string_view word) const {
    const std::string_view rest = text_.substr(place(index) + 1);
    return rest.starts_with(word) && rest.substr(word.size()).starts_with('"');
  }
  // What comes after the value that begins there: a comma, or the bracket that closes around it.
  size_t after_value(size_t index) const {
    size_t depth = 0;
    do {
      const char here = sign(index++);
      if (here == '{' || here == '[') {
        ++depth;
      } else if (here == '}' || here == ']') {
        --depth;
      }
    } while (depth > 0);
    return index;
  }
  // From there to the last byte before `end` that is no blank.
  std::string_view text_between(size_t begin, size_t end) const {
    const std::string_view text = text_.substr(place(begin), place(end) - place(begin));
    return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  }

 private:
  size_t place(size_t index) const {
    CHECK_LT(index, places_.size());
    return places_[index];
  }

  std::string_view text_;
  std::span<const uint32_t> places_;
};

}  // namespace

std::optional<std::string_view> raw_member(std::string_view text, std::span<const uint32_t> places,
                                           std::string_view key) {
  const Walk walk(text, places);
  if (walk.sign(0) != '{') {
    return std::nullopt;
  }
  size_t member = 1;
  while (walk.sign(member) == '"') {
    const size_t value = member + 2;  // behind key and colon
    const size_t end = walk.after_value(value);
    if (walk.is_spelt(member, key)) {
      return walk.text_between(value, end);
    }
    member = end + 1;
    if (walk.sign(end) == '}') {
      break;
    }
  }
  return std::nullopt;
}

}  // namespace match
