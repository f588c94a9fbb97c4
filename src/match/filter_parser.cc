// Reads a subscriber's filters into a program. See filter.h for what they look like.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/nearest_name.h"
#include "match/filter.h"
#include "match/json_place.h"
#include "match/quote.h"

namespace match {

namespace {

// In the order of Comparison.
constexpr std::array<std::string_view, 12> kComparisonWords = {
    "eq",       "ne",          "gt",           "gte",     "lt",     "lte",
    "contains", "notContains", "containsOnly", "changed", "exists", "notExists"};
constexpr std::array<std::string_view, 2> kSideWords = {"newState", "oldState"};
constexpr std::array<std::string_view, 2> kConnectorWords = {"AND", "OR"};
constexpr std::array<std::string_view, 4> kFilterKeys = {"fieldName", "fieldValue", "comparison",
                                                         "state"};
constexpr std::array<std::string_view, 3> kGroupKeys = {"type", "connector", "filters"};
constexpr std::array<std::string_view, 2> kTopKeys = {"filters", "filterConnector"};

bool takes_value(Comparison comparison) { return comparison < Comparison::kChanged; }

std::string list_of(std::span<const std::string_view> words) {
  std::string list;
  for (const std::string_view word : words) {
    list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", word);
  }
  return list;
}

// "; did you mean "eq"?" or what there is to choose from.
std::string hint(std::string_view name, std::span<const std::string_view> known) {
  const std::string_view nearest = base::nearest_name(name, known);
  if (!nearest.empty()) {
    return fmt::format("; did you mean \"{}\"?", nearest);
  }
  return fmt::format("; there are {}", list_of(known));
}

std::string scalar_text(JsonValue value) {
  switch (value.kind()) {
    case JsonKind::kBool:
      return value.as_bool() ? "true" : "false";
    case JsonKind::kInteger:
      return fmt::format("{}", value.as_integer());
    case JsonKind::kUnsigned:
      return fmt::format("{}", value.as_unsigned());
    case JsonKind::kDouble:
      return fmt::format("{}", value.as_double());
    case JsonKind::kString:
      return std::string(value.as_string());
    default:
      return {};
  }
}

// Each function returns false once there is a problem; the first one is kept.
class FilterParser {
 public:
  base::Result<Filter> parse(JsonValue filters, JsonValue connector) {
    if (!read_word({connector, "filterConnector"}, kConnectorWords, parts_.connector) ||
        !read_entries({filters, "filters"})) {
      return base::fail(base::ErrorCode::kInvalid, std::move(problem_));
    }
    return parts_.clauses.empty() ? Filter() : Filter(FilterProgram(parts_));
  }

 private:
  bool refuse(const JsonPlace& place, std::string_view what) {
    problem_ = fmt::format("{}: {}", place.path(), what);
    return false;
  }

  // Leaves `word` as it is if there is nothing.
  template <class Word>
  bool read_word(const JsonPlace& place, std::span<const std::string_view> known, Word& word) {
    if (place.value().is_missing_or_null()) {
      return true;
    }
    if (place.kind() != JsonKind::kString) {
      return refuse(place, fmt::format("must be a text: one of {}", list_of(known)));
    }
    const std::string_view text = place.value().as_string();
    const auto found = std::ranges::find(known, text);
    if (found == known.end()) {
      return refuse(place, fmt::format("there is no {}{}", quote(text), hint(text, known)));
    }
    word = static_cast<Word>(found - known.begin());
    return true;
  }

  bool check_keys(const JsonPlace& object, std::span<const std::string_view> known) {
    for (const JsonMember member : object.value().members()) {
      if (std::ranges::find(known, member.key) == known.end()) {
        return refuse(object, fmt::format("there is no field {}{}", quote(member.key),
                                          hint(member.key, known)));
      }
    }
    return true;
  }

  bool read_entries(const JsonPlace& filters) {
    if (filters.value().is_missing_or_null()) {
      return true;
    }
    if (filters.kind() != JsonKind::kArray) {
      return refuse(filters, "must be a list; put the filter into [ ]");
    }
    const size_t count = filters.value().size();
    if (count > kFiltersMax) {
      return refuse(filters, fmt::format("has {} entries; at most {} are allowed, use another "
                                         "subscription for the rest",
                                         count, kFiltersMax));
    }
    size_t index = 0;
    for (const JsonValue entry : filters.value().elements()) {
      if (!read_entry(filters.at(index++, entry))) {
        return false;
      }
    }
    return true;
  }

  bool read_entry(const JsonPlace& entry) {
    if (entry.kind() != JsonKind::kObject) {
      return refuse(entry, "must be an object with fieldName, fieldValue and comparison");
    }
    const JsonPlace type = entry.find("type");
    if (type.kind() == JsonKind::kMissing && entry.find("filters").kind() == JsonKind::kMissing) {
      parts_.clauses.push_back(
          {.first = static_cast<uint16_t>(parts_.conditions.size()), .count = 1});
      return read_condition(entry);
    }
    if (type.kind() != JsonKind::kString || type.value().as_string() != "group") {
      return refuse(type,
                    "must be \"group\" where there are filters within, and must not be "
                    "given otherwise");
    }
    return read_group(entry);
  }

  bool read_group(const JsonPlace& group) {
    if (++groups_ > kGroupsMax) {
      return refuse(group,
                    fmt::format("is one group too many; at most {} are allowed", kGroupsMax));
    }
    Clause clause{.first = static_cast<uint16_t>(parts_.conditions.size()), .is_group = true};
    if (!check_keys(group, kGroupKeys) ||
        !read_word(group.find("connector"), kConnectorWords, clause.connector)) {
      return false;
    }
    const JsonPlace filters = group.find("filters");
    const size_t count = filters.value().size();
    if (filters.kind() != JsonKind::kArray || count < kGroupFiltersMin ||
        count > kGroupFiltersMax) {
      return refuse(filters, fmt::format("a group needs a list of {} to {} filters",
                                         kGroupFiltersMin, kGroupFiltersMax));
    }
    clause.count = static_cast<uint16_t>(count);
    parts_.clauses.push_back(clause);
    return read_members(filters);
  }

  bool read_members(const JsonPlace& filters) {
    size_t index = 0;
    for (const JsonValue value : filters.value().elements()) {
      const JsonPlace filter = filters.at(index++, value);
      if (filter.kind() != JsonKind::kObject) {
        return refuse(filter, "must be an object with fieldName, fieldValue and comparison");
      }
      if (filter.find("filters").kind() != JsonKind::kMissing) {
        return refuse(filter, "a group may not hold another group");
      }
      if (!read_condition(filter)) {
        return false;
      }
    }
    return true;
  }

  bool read_condition(const JsonPlace& filter) {
    Condition condition{.literal = static_cast<uint16_t>(parts_.literals.size())};
    if (!check_keys(filter, kFilterKeys) || !read_field_name(filter.find("fieldName"), condition) ||
        !read_word(filter.find("comparison"), kComparisonWords, condition.comparison) ||
        !read_word(filter.find("state"), kSideWords, condition.side)) {
      return false;
    }
    if (takes_value(condition.comparison)) {
      const JsonPlace value = filter.find("fieldValue");
      if (value.kind() == JsonKind::kMissing) {
        return refuse(filter, fmt::format("\"{}\" needs a fieldValue; null is one",
                                          word_of(condition.comparison)));
      }
      if (!read_literal(value, {}, 0)) {
        return false;
      }
    }
    parts_.conditions.push_back(condition);
    return true;
  }

  bool read_field_name(const JsonPlace& name, Condition& condition) {
    if (name.kind() != JsonKind::kString || name.value().as_string().empty()) {
      return refuse(name, "must be the name of a field of newState or oldState");
    }
    if (name.value().as_string().size() > kFieldNameBytesMax) {
      return refuse(name, fmt::format("is longer than {} bytes", kFieldNameBytesMax));
    }
    condition.field = parts_.add_text(name.value().as_string());
    return true;
  }

  bool read_literal(const JsonPlace& place, std::string_view key, size_t depth) {
    Literal literal{.reading = read(place.value()), .kind = place.kind()};
    const std::string text = scalar_text(place.value());
    if (!check_size(place, std::max(text.size(), key.size()), depth)) {
      return false;
    }
    literal.key = parts_.add_text(key);
    literal.text = parts_.add_text(text);
    const size_t at = parts_.literals.size();
    parts_.literals.push_back(literal);
    if (!read_nested(place, depth + 1)) {
      return false;
    }
    parts_.literals[at].span = static_cast<uint32_t>(parts_.literals.size() - at);
    return true;
  }

  bool read_nested(const JsonPlace& place, size_t depth) {
    size_t index = 0;
    for (const JsonValue element : place.value().elements()) {
      if (!read_literal(place.at(index++, element), {}, depth)) {
        return false;
      }
    }
    for (const JsonMember member : place.value().members()) {
      if (!read_literal(place.at(member), member.key, depth)) {
        return false;
      }
    }
    return true;
  }

  bool check_size(const JsonPlace& place, size_t text_bytes, size_t depth) {
    if (depth > kValueDepthMax) {
      return refuse(place, fmt::format("is nested more than {} deep", kValueDepthMax));
    }
    if (text_bytes > kValueBytesMax) {
      return refuse(place, fmt::format("is longer than {} bytes", kValueBytesMax));
    }
    if (parts_.literals.size() == kFilterValuesMax) {
      return refuse(place, fmt::format("is one value too many; all filters together may have {}",
                                       kFilterValuesMax));
    }
    if (parts_.text.size() > kFilterBytesMax) {
      return refuse(
          place, fmt::format("the texts of all filters together exceed {} bytes", kFilterBytesMax));
    }
    return true;
  }

  ProgramParts parts_;
  size_t groups_ = 0;
  std::string problem_;
};

}  // namespace

std::string_view word_of(Comparison comparison) {
  return kComparisonWords[static_cast<size_t>(comparison)];
}

base::Result<Filter> parse_filter(JsonValue filters, JsonValue connector) {
  return FilterParser().parse(filters, connector);
}

base::Result<Filter> parse_filter(JsonParser& parser, std::string_view text) {
  TRY(const JsonValue root, parser.parse(text));
  if (root.kind() != JsonKind::kObject) {
    return base::fail(base::ErrorCode::kInvalid, "must be an object with filters");
  }
  for (const JsonMember member : root.members()) {
    if (std::ranges::find(kTopKeys, member.key) == kTopKeys.end()) {
      return base::fail(
          base::ErrorCode::kInvalid,
          fmt::format("there is no field {}{}", quote(member.key), hint(member.key, kTopKeys)));
    }
  }
  return parse_filter(root.find("filters"), root.find("filterConnector"));
}

}  // namespace match
