#include "match/evaluation.h"

#include <algorithm>
#include <compare>
#include <optional>
#include <utility>
#include <variant>

namespace match {

namespace {

bool is_scalar(JsonKind kind) { return kind != JsonKind::kArray && kind != JsonKind::kObject; }

// The literals directly within a list or an object, for a range-for.
class Nested {
 public:
  class Iterator {
   public:
    explicit Iterator(const Literal* at) : at_(at) {}
    const Literal& operator*() const { return *at_; }
    Iterator& operator++() {
      at_ += at_->span;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const Literal* at_;
  };

  explicit Nested(const Literal& literal) : literal_(literal) {}
  Iterator begin() const { return Iterator(&literal_ + 1); }
  Iterator end() const { return Iterator(&literal_ + literal_.span); }

 private:
  const Literal& literal_;
};

// All or any, depending on the connector; stops as soon as it is known.
template <class Items, class Passes>
bool join(Connector connector, const Items& items, const Passes& passes) {
  return connector == Connector::kAnd ? std::ranges::all_of(items, passes)
                                      : std::ranges::any_of(items, passes);
}

template <class Items, class Passes>
bool all_of(const Items& items, const Passes& passes) {
  for (const auto& item : items) {
    if (!passes(item)) {
      return false;
    }
  }
  return true;
}

bool equals_scalar(JsonValue actual, const Literal& expected, std::string_view expected_text) {
  const bool is_word = expected.kind == JsonKind::kString || expected.kind == JsonKind::kBool;
  switch (actual.kind()) {
    case JsonKind::kMissing:
    case JsonKind::kNull:
      return expected.kind == JsonKind::kNull;
    case JsonKind::kBool:
      return is_word && expected_text == (actual.as_bool() ? "true" : "false");
    case JsonKind::kString:
      if (is_word) {
        return actual.as_string() == expected_text;
      }
      [[fallthrough]];
    default: {
      const auto* number = std::get_if<Number>(&expected.reading);
      return number != nullptr && number_in(actual) == *number;
    }
  }
}

std::optional<std::strong_ordering> order(JsonValue actual, const Literal& expected,
                                          std::string_view expected_text) {
  const bool is_text = actual.kind() == JsonKind::kString;
  if (const auto* moment = std::get_if<Moment>(&expected.reading); moment != nullptr && is_text) {
    if (const auto actual_moment = read_moment(actual.as_string())) {
      return *actual_moment <=> *moment;
    }
  }
  if (const auto* number = std::get_if<Number>(&expected.reading)) {
    if (const auto actual_number = number_in(actual)) {
      return *actual_number <=> *number;
    }
  }
  if (is_text && expected.kind == JsonKind::kString) {
    return actual.as_string() <=> expected_text;
  }
  return std::nullopt;
}

bool satisfies(Comparison comparison, std::strong_ordering ordering) {
  switch (comparison) {
    case Comparison::kGt:
      return ordering > 0;
    case Comparison::kGte:
      return ordering >= 0;
    case Comparison::kLt:
      return ordering < 0;
    default:
      return ordering <= 0;
  }
}

}  // namespace

States States::of(JsonValue payload) {
  const States states{.new_state = payload.find("newState"), .old_state = payload.find("oldState")};
  const bool has_states = states.new_state.kind() != JsonKind::kMissing ||
                          states.old_state.kind() != JsonKind::kMissing;
  return has_states ? states : States{.new_state = payload, .old_state = {}};
}

bool Filter::passes(const States& states, Effort& effort) const {
  return program_.is_empty() || Evaluation(program_, states, effort).passes();
}

bool Evaluation::passes() const {
  return join(program_.connector(), program_.clauses(),
              [this](const Clause& clause) { return passes(clause); });
}

bool Evaluation::passes(const Clause& clause) const {
  return join(clause.connector, program_.conditions_of(clause),
              [this](const Condition& condition) { return passes(condition); });
}

bool Evaluation::passes(const Condition& condition) const {
  if (condition.comparison == Comparison::kChanged) {
    return is_changed(condition);
  }
  const JsonValue state = condition.side == Side::kNewState ? states_.new_state : states_.old_state;
  return compares(condition, find(state, program_.text(condition.field)));
}

bool Evaluation::compares(const Condition& condition, JsonValue actual) const {
  const Literal* expected = program_.literals().data() + condition.literal;
  switch (condition.comparison) {
    case Comparison::kEq:
      return equals(actual, *expected);
    case Comparison::kNe:
      return !equals(actual, *expected);
    case Comparison::kContains:
      return contains(actual, *expected);
    case Comparison::kNotContains:
      return contains_none(actual, *expected);
    case Comparison::kContainsOnly:
      return contains_only(actual, *expected);
    case Comparison::kExists:
      return !actual.is_missing_or_null();
    case Comparison::kNotExists:
      return actual.is_missing_or_null();
    default:
      return is_ordered(condition.comparison, actual, *expected);
  }
}

bool Evaluation::equals(JsonValue actual, const Literal& expected) const {
  effort_.spend(1);
  switch (expected.kind) {
    case JsonKind::kObject:
      return equals_object(actual, expected);
    case JsonKind::kArray:
      return equals_list(actual, expected);
    default:
      return equals_scalar(actual, expected, text(expected));
  }
}

bool Evaluation::equals_object(JsonValue actual, const Literal& expected) const {
  return actual.kind() == JsonKind::kObject && all_of(Nested(expected), [&](const Literal& member) {
           return equals(find(actual, program_.text(member.key)), member);
         });
}

bool Evaluation::equals_list(JsonValue actual, const Literal& expected) const {
  if (actual.kind() != JsonKind::kArray) {
    return false;
  }
  const Nested literals(expected);
  auto literal = literals.begin();
  for (const JsonValue element : actual.elements()) {
    if (literal == literals.end() || !equals(element, *literal)) {
      return false;
    }
    ++literal;
  }
  return literal == literals.end();
}

bool Evaluation::is_ordered(Comparison comparison, JsonValue actual,
                            const Literal& expected) const {
  effort_.spend(1);
  if (expected.kind == JsonKind::kObject) {
    return actual.kind() == JsonKind::kObject &&
           all_of(Nested(expected), [&](const Literal& member) {
             return is_ordered(comparison, find(actual, program_.text(member.key)), member);
           });
  }
  const auto ordering = order(actual, expected, text(expected));
  return ordering.has_value() && satisfies(comparison, *ordering);
}

bool Evaluation::contains(JsonValue actual, const Literal& expected) const {
  effort_.spend(1);
  if (expected.kind == JsonKind::kArray) {
    return !actual.is_missing_or_null() && all_of(Nested(expected), [&](const Literal& element) {
      return contains(actual, element);
    });
  }
  switch (actual.kind()) {
    case JsonKind::kArray:
      return has_element(actual, expected);
    case JsonKind::kObject:
      return expected.kind == JsonKind::kObject &&
             all_of(Nested(expected), [&](const Literal& member) {
               return contains(find(actual, program_.text(member.key)), member);
             });
    case JsonKind::kString:
      effort_.spend(actual.as_string().size() / 16);
      return is_scalar(expected.kind) && expected.kind != JsonKind::kNull &&
             actual.as_string().contains(text(expected));
    case JsonKind::kMissing:
    case JsonKind::kNull:
      return false;
    default:
      return equals(actual, expected);
  }
}

bool Evaluation::contains_none(JsonValue actual, const Literal& expected) const {
  if (expected.kind != JsonKind::kArray) {
    return !contains(actual, expected);
  }
  return all_of(Nested(expected),
                [&](const Literal& element) { return !contains(actual, element); });
}

bool Evaluation::contains_only(JsonValue actual, const Literal& expected) const {
  if (actual.is_missing_or_null()) {
    return false;
  }
  const bool is_list = actual.kind() == JsonKind::kArray;
  if (expected.kind != JsonKind::kArray) {
    return is_list ? actual.size() == 1 && has_element(actual, expected) : equals(actual, expected);
  }
  if (!is_list) {
    return is_in(actual, expected) && all_of(Nested(expected), [&](const Literal& element) {
             return equals(actual, element);
           });
  }
  const auto is_expected = [&](JsonValue element) {
    return !effort_.is_exhausted() && is_in(element, expected);
  };
  return all_of(actual.elements(), is_expected) &&
         all_of(Nested(expected),
                [&](const Literal& element) { return has_element(actual, element); });
}

bool Evaluation::is_in(JsonValue element, const Literal& list) const {
  return !all_of(Nested(list), [&](const Literal& literal) { return !equals(element, literal); });
}

bool Evaluation::has_element(JsonValue list, const Literal& expected) const {
  return !all_of(list.elements(), [&](JsonValue element) {
    return !effort_.is_exhausted() && !equals(element, expected);
  });
}

bool Evaluation::is_changed(const Condition& condition) const {
  if (states_.old_state.kind() == JsonKind::kMissing ||
      states_.new_state.kind() == JsonKind::kMissing) {
    return false;
  }
  const std::string_view field = program_.text(condition.field);
  return !is_same(find(states_.old_state, field), find(states_.new_state, field));
}

bool Evaluation::is_same(JsonValue left, JsonValue right) const {
  effort_.spend(1);
  const JsonKind kind = left.kind();
  if (kind <= JsonKind::kNull) {
    return right.is_missing_or_null();
  }
  if (kind == JsonKind::kObject) {
    return is_same_object(left, right);
  }
  if (kind >= JsonKind::kInteger && kind <= JsonKind::kDouble) {
    return right.kind() != JsonKind::kString && number_in(left) == number_in(right);
  }
  if (kind != right.kind()) {
    return false;
  }
  if (kind == JsonKind::kString) {
    return left.as_string() == right.as_string();
  }
  if (kind == JsonKind::kBool) {
    return left.as_bool() == right.as_bool();
  }
  return is_same_list(left, right);
}

bool Evaluation::is_same_list(JsonValue left, JsonValue right) const {
  if (left.size() != right.size()) {
    return false;
  }
  const JsonElements twins = right.elements();
  auto twin = twins.begin();
  for (const JsonValue element : left.elements()) {
    if (!is_same(element, *twin)) {
      return false;
    }
    ++twin;
  }
  return true;
}

bool Evaluation::is_same_object(JsonValue left, JsonValue right) const {
  if (right.kind() != JsonKind::kObject) {
    return false;
  }
  // The same writer names the same keys in the same order, so the twin is nearly always next.
  const JsonMembers twins = right.members();
  auto twin = twins.begin();
  bool has_same_keys = true;
  const bool is_left_in_right = all_of(left.members(), [&](const JsonMember& member) {
    if (twin != twins.end() && (*twin).key == member.key) {
      const JsonValue value = (*twin).value;
      ++twin;
      return is_same(member.value, value);
    }
    has_same_keys = false;
    return !effort_.is_exhausted() && is_same(member.value, find(right, member.key));
  });
  if (!is_left_in_right || (has_same_keys && twin == twins.end())) {
    return is_left_in_right;
  }
  // What only the right side names must be null, which is as good as missing.
  return all_of(right.members(), [&](const JsonMember& member) {
    return member.value.is_missing_or_null() || find(left, member.key).kind() != JsonKind::kMissing;
  });
}

JsonValue Evaluation::find(JsonValue object, std::string_view key) const {
  effort_.spend(1 + object.size());
  return object.find(key);
}

}  // namespace match
