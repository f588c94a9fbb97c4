#include "match/type_pattern.h"

#include <fmt/core.h>

#include <algorithm>

#include "match/quote.h"

namespace match {

namespace {

std::unexpected<base::Error> refuse(std::string_view text, std::string_view what) {
  return base::fail(base::ErrorCode::kInvalid, fmt::format("{} {}", quote(text), what));
}

bool is_word_character(char c) { return c > ' ' && c < '\x7f'; }

base::Result<std::string> check_words(std::string_view text, bool may_be_pattern) {
  if (text.empty() || text.size() > kTypeBytesMax) {
    return refuse(text, fmt::format("must have 1 to {} characters", kTypeBytesMax));
  }
  if (!std::ranges::all_of(text, is_word_character)) {
    return refuse(text, "may hold printable ASCII characters only, and no spaces");
  }
  if (static_cast<size_t>(std::ranges::count(text, '.')) >= kTypeWordsMax) {
    return refuse(text, fmt::format("has more than {} words", kTypeWordsMax));
  }
  if (text.starts_with('.') || text.ends_with('.') || text.contains("..")) {
    return refuse(text, "has an empty word; words are joined by single dots");
  }
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view word = take_word(rest);
    if (!word.contains('*')) {
      continue;
    }
    if (!may_be_pattern) {
      return refuse(text, "is the type of one event, which has no *");
    }
    if (word != "*" && !(word == "**" && rest.empty())) {
      return refuse(text,
                    "has a * within a word; a * stands for a whole word, and ** for all "
                    "words at the end");
    }
  }
  return std::string(text);
}

}  // namespace

std::string_view take_word(std::string_view& rest) {
  const size_t dot = std::min(rest.find('.'), rest.size());
  const std::string_view word = rest.substr(0, dot);
  rest.remove_prefix(std::min(dot + 1, rest.size()));
  return word;
}

base::Result<std::string> parse_type_pattern(std::string_view text) {
  if (text.empty() || text == "*") {
    return std::string(kEveryType);
  }
  return check_words(text, true);
}

base::Result<std::string> parse_event_type(std::string_view text) {
  return check_words(text, false);
}

bool is_operational_type(std::string_view type) { return type.starts_with(kOperationalPrefix); }

bool type_matches(std::string_view pattern, std::string_view type) {
  if (is_operational_type(type) && !is_operational_type(pattern)) {
    return false;
  }
  while (!pattern.empty() && !type.empty()) {
    const std::string_view wanted = take_word(pattern);
    if (wanted == "**") {
      return true;
    }
    const std::string_view word = take_word(type);
    if (wanted != "*" && wanted != word) {
      return false;
    }
  }
  return pattern.empty() && type.empty();
}

}  // namespace match
