#include "match/naive_matcher.h"

#include <algorithm>
#include <charconv>
#include <compare>
#include <cstdlib>
#include <iterator>
#include <optional>

namespace match::naive {

namespace {

std::vector<std::string> words_of(std::string_view type) {
  std::vector<std::string> words{""};
  for (const char c : type) {
    if (c == '.') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

bool is_null(JsonValue value) { return value.kind() <= JsonKind::kNull; }

bool is_a(JsonValue value, JsonKind kind) { return value.kind() == kind; }

// The pools of the tests have no number that a double cannot hold, and no text that strtod() takes
// for a number and JSON does not.
std::optional<double> number(JsonValue value) {
  switch (value.kind()) {
    case JsonKind::kInteger:
      return static_cast<double>(value.as_integer());
    case JsonKind::kDouble:
      return value.as_double();
    case JsonKind::kString: {
      const std::string text(value.as_string());
      char* end = nullptr;
      const double read = std::strtod(text.c_str(), &end);
      return !text.empty() && *end == '\0' ? std::optional(read) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::optional<int> date(JsonValue value) {
  if (!is_a(value, JsonKind::kString)) {
    return std::nullopt;
  }
  const auto* found = std::ranges::find(kDates, value.as_string());
  return found == std::end(kDates) ? std::nullopt : std::optional(found == std::end(kDates) - 1);
}

std::string word(JsonValue value) {
  return is_a(value, JsonKind::kBool) ? (value.as_bool() ? "true" : "false")
                                      : std::string(value.as_string());
}

bool is_word(JsonValue value) {
  return is_a(value, JsonKind::kBool) || is_a(value, JsonKind::kString);
}

std::vector<JsonValue> list(JsonValue value) {
  std::vector<JsonValue> elements;
  for (const JsonValue element : value.elements()) {
    elements.push_back(element);
  }
  return elements;
}

// Whether `test` holds at each key that an object names.
template <class Test>
bool at_each_key(JsonValue actual, JsonValue expected, const Test& test) {
  bool holds = is_a(actual, JsonKind::kObject);
  for (const JsonMember member : expected.members()) {
    holds = holds && test(actual.find(member.key), member.value);
  }
  return holds;
}

bool equal(JsonValue actual, JsonValue expected) {
  if (is_a(expected, JsonKind::kObject)) {
    return at_each_key(actual, expected, equal);
  }
  if (is_a(expected, JsonKind::kArray)) {
    return is_a(actual, JsonKind::kArray) &&
           std::ranges::equal(list(actual), list(expected), equal);
  }
  if (is_null(actual) || is_null(expected)) {
    return is_null(actual) && is_null(expected);
  }
  if (is_word(actual) && is_word(expected)) {
    return word(actual) == word(expected);
  }
  return number(actual).has_value() && number(actual) == number(expected);
}

std::partial_ordering order(JsonValue actual, JsonValue expected) {
  if (date(actual).has_value() && date(expected).has_value()) {
    return *date(actual) <=> *date(expected);
  }
  if (number(actual).has_value() && number(expected).has_value()) {
    return *number(actual) <=> *number(expected);
  }
  if (is_a(actual, JsonKind::kString) && is_a(expected, JsonKind::kString)) {
    return actual.as_string() <=> expected.as_string();
  }
  return std::partial_ordering::unordered;
}

bool ordered(std::string_view comparison, JsonValue actual, JsonValue expected) {
  if (is_a(expected, JsonKind::kObject)) {
    return at_each_key(actual, expected, [&](JsonValue left, JsonValue right) {
      return ordered(comparison, left, right);
    });
  }
  const std::partial_ordering found = order(actual, expected);
  return (comparison == "gt" && found > 0) || (comparison == "gte" && found >= 0) ||
         (comparison == "lt" && found < 0) || (comparison == "lte" && found <= 0);
}

bool has(const std::vector<JsonValue>& actual, JsonValue expected) {
  return std::ranges::any_of(actual, [&](JsonValue element) { return equal(element, expected); });
}

std::string text_of(JsonValue value) {
  if (is_a(value, JsonKind::kInteger)) {
    return std::to_string(value.as_integer());
  }
  if (is_a(value, JsonKind::kDouble)) {
    char text[32];
    return {text, std::to_chars(text, std::end(text), value.as_double()).ptr};
  }
  return word(value);
}

bool contains(JsonValue actual, JsonValue expected) {
  if (is_null(actual)) {
    return false;
  }
  if (is_a(expected, JsonKind::kArray)) {
    return std::ranges::all_of(list(expected),
                               [&](JsonValue element) { return contains(actual, element); });
  }
  if (is_a(actual, JsonKind::kArray)) {
    return has(list(actual), expected);
  }
  if (is_a(actual, JsonKind::kObject)) {
    return is_a(expected, JsonKind::kObject) && at_each_key(actual, expected, contains);
  }
  if (is_a(actual, JsonKind::kString)) {
    return !is_null(expected) && !is_a(expected, JsonKind::kObject) &&
           actual.as_string().contains(text_of(expected));
  }
  return equal(actual, expected);
}

bool contains_none(JsonValue actual, JsonValue expected) {
  if (!is_a(expected, JsonKind::kArray)) {
    return !contains(actual, expected);
  }
  return std::ranges::none_of(list(expected),
                              [&](JsonValue element) { return contains(actual, element); });
}

bool contains_only(JsonValue actual, JsonValue expected) {
  if (is_null(actual)) {
    return false;
  }
  const bool wants_one = !is_a(expected, JsonKind::kArray);
  const auto wanted = wants_one ? std::vector{expected} : list(expected);
  const auto given = is_a(actual, JsonKind::kArray) ? list(actual) : std::vector{actual};
  return (!wants_one || given.size() == 1) &&
         std::ranges::all_of(wanted, [&](JsonValue value) { return has(given, value); }) &&
         std::ranges::all_of(given, [&](JsonValue value) {
           return std::ranges::any_of(wanted, [&](JsonValue one) { return equal(value, one); });
         });
}

bool same(JsonValue left, JsonValue right);

bool same_object(JsonValue left, JsonValue right) {
  bool is_same = true;
  for (const JsonMember member : left.members()) {
    is_same = is_same && same(member.value, right.find(member.key));
  }
  for (const JsonMember member : right.members()) {
    is_same = is_same && (!is_null(left.find(member.key)) || is_null(member.value));
  }
  return is_same;
}

bool same(JsonValue left, JsonValue right) {
  if (is_null(left) || is_null(right)) {
    return is_null(left) && is_null(right);
  }
  const bool are_numbers = !is_word(left) && !is_word(right) && number(left).has_value();
  if (are_numbers) {
    return number(left) == number(right);
  }
  if (left.kind() != right.kind()) {
    return false;
  }
  if (is_a(left, JsonKind::kObject)) {
    return same_object(left, right);
  }
  return is_a(left, JsonKind::kArray) ? std::ranges::equal(list(left), list(right), same)
                                      : word(left) == word(right);
}

bool passes_one(JsonValue filter, JsonValue new_state, JsonValue old_state) {
  const std::string_view field = filter.find("fieldName").as_string();
  const JsonValue comparison_word = filter.find("comparison");
  const std::string_view comparison = is_null(comparison_word) ? "eq" : comparison_word.as_string();
  if (comparison == "changed") {
    return !is_a(new_state, JsonKind::kMissing) && !is_a(old_state, JsonKind::kMissing) &&
           !same(old_state.find(field), new_state.find(field));
  }
  const JsonValue side = filter.find("state");
  const bool is_old = !is_null(side) && side.as_string() == "oldState";
  const JsonValue actual = (is_old ? old_state : new_state).find(field);
  const JsonValue expected = filter.find("fieldValue");
  if (comparison == "exists" || comparison == "notExists") {
    return is_null(actual) == (comparison == "notExists");
  }
  if (comparison == "eq" || comparison == "ne") {
    return equal(actual, expected) == (comparison == "eq");
  }
  return comparison == "contains"       ? contains(actual, expected)
         : comparison == "notContains"  ? contains_none(actual, expected)
         : comparison == "containsOnly" ? contains_only(actual, expected)
                                        : ordered(comparison, actual, expected);
}

bool passes_all(JsonValue filters, JsonValue connector, JsonValue new_state, JsonValue old_state) {
  const std::vector<JsonValue> entries = list(filters);
  const auto passes_entry = [&](JsonValue entry) {
    return is_null(entry.find("type"))
               ? passes_one(entry, new_state, old_state)
               : passes_all(entry.find("filters"), entry.find("connector"), new_state, old_state);
  };
  const bool is_or = !is_null(connector) && connector.as_string() == "OR";
  return entries.empty() || (is_or ? std::ranges::any_of(entries, passes_entry)
                                   : std::ranges::all_of(entries, passes_entry));
}

}  // namespace

bool type_matches(std::string_view pattern, std::string_view type) {
  std::vector<std::string> wanted = words_of(pattern);
  std::vector<std::string> words = words_of(type);
  if (wanted.back() == "**") {
    if (words.size() < wanted.size()) {
      return false;
    }
    wanted.pop_back();
    words.resize(wanted.size());
  }
  return std::ranges::equal(wanted, words, [](const std::string& want, const std::string& word) {
    return want == "*" || want == word;
  });
}

bool passes(JsonValue filter, JsonValue new_state, JsonValue old_state) {
  return passes_all(filter.find("filters"), filter.find("filterConnector"), new_state, old_state);
}

}  // namespace match::naive
