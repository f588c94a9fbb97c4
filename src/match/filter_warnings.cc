// What a subscriber wrote correctly and yet can never happen. Finds the mistakes that people make,
// not every contradiction there is.

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "match/evaluation.h"
#include "match/filter.h"
#include "match/quote.h"

namespace match {

namespace {

bool is_order(Comparison comparison) {
  return comparison >= Comparison::kGt && comparison <= Comparison::kLte;
}

bool is_lower_bound(Comparison comparison) {
  return comparison == Comparison::kGt || comparison == Comparison::kGte;
}

bool is_inclusive(Comparison comparison) {
  return comparison == Comparison::kGte || comparison == Comparison::kLte ||
         comparison == Comparison::kEq;
}

bool is_scalar(JsonKind kind) { return kind != JsonKind::kArray && kind != JsonKind::kObject; }

struct NamedCondition {
  const Condition* condition;
  std::string path;
  std::string never;  // why it never passes; empty if it may
};

class Doubts {
 public:
  Doubts(const FilterProgram& program, std::string_view type_pattern)
      : program_(program), type_pattern_(type_pattern) {}

  std::vector<std::string> sentences() {
    size_t number = 0;
    for (const Clause& clause : program_.clauses()) {
      add_clause(clause, number++);
    }
    if (program_.connector() == Connector::kAnd) {
      compare_pairs(required_);
    }
    const bool is_and = program_.connector() == Connector::kAnd;
    const bool never_passes =
        is_contradictory_ ||
        (is_and ? hopeless_clauses_ > 0 : hopeless_clauses_ == program_.clauses().size());
    if (never_passes) {
      sentences_.emplace_back(
          "no event can ever pass these filters, so this subscription will receive nothing");
    }
    return std::move(sentences_);
  }

 private:
  void add_clause(const Clause& clause, size_t number) {
    std::vector<NamedCondition> members;
    for (const Condition& condition : program_.conditions_of(clause)) {
      const std::string path = clause.is_group
                                   ? fmt::format("filters[{}].filters[{}]", number, members.size())
                                   : fmt::format("filters[{}]", number);
      members.push_back({&condition, path, why_never(condition)});
    }
    size_t hopeless = 0;
    for (const NamedCondition& member : members) {
      if (!member.never.empty()) {
        sentences_.push_back(fmt::format("{}: {}", member.path, member.never));
        ++hopeless;
      }
    }
    const bool is_and = clause.connector == Connector::kAnd;
    hopeless_clauses_ += (is_and ? hopeless > 0 : hopeless == members.size()) ? 1 : 0;
    if (is_and) {
      std::ranges::copy(members, std::back_inserter(required_));
    }
  }

  std::string why_never(const Condition& condition) const {
    if (is_order(condition.comparison) && !can_be_ordered(literal(condition))) {
      return fmt::format(
          "\"{}\" orders numbers, dates and texts; no value is above or below this "
          "fieldValue",
          word_of(condition.comparison));
    }
    if (condition.comparison == Comparison::kChanged) {
      return {};
    }
    if (condition.side == Side::kOldState && type_pattern_ == "CREATE" &&
        !passes_on_missing(condition)) {
      return "a CREATE event has an empty oldState, which never passes this; use newState";
    }
    if (condition.side == Side::kNewState && type_pattern_ == "DELETE" &&
        !passes_on_missing(condition)) {
      return "a DELETE event has an empty newState, which never passes this; use oldState";
    }
    return {};
  }

  bool can_be_ordered(const Literal& expected) const {
    if (expected.kind != JsonKind::kObject) {
      return expected.kind == JsonKind::kString ||
             !std::holds_alternative<std::monostate>(expected.reading);
    }
    for (uint32_t nested = 1; nested < expected.span; nested += (&expected)[nested].span) {
      if (!can_be_ordered((&expected)[nested])) {
        return false;
      }
    }
    return true;
  }

  void compare_pairs(const std::vector<NamedCondition>& conditions) {
    for (size_t later = 1; later < conditions.size(); ++later) {
      for (size_t earlier = 0; earlier < later; ++earlier) {
        if (contradict(*conditions[earlier].condition, *conditions[later].condition)) {
          is_contradictory_ = true;
          sentences_.push_back(fmt::format(
              "{} and {} contradict each other on {}", conditions[earlier].path,
              conditions[later].path, quote(program_.text(conditions[later].condition->field))));
        }
      }
    }
  }

  bool contradict(const Condition& left, const Condition& right) const {
    if (left.side != right.side || program_.text(left.field) != program_.text(right.field) ||
        left.comparison == Comparison::kChanged || right.comparison == Comparison::kChanged) {
      return false;
    }
    if (left.comparison == Comparison::kNotExists || right.comparison == Comparison::kNotExists) {
      return !passes_on_missing(left) || !passes_on_missing(right);
    }
    return excludes(left, right) || excludes(right, left);
  }

  // Whether what passes `left` cannot pass `right`; seen from one side only.
  bool excludes(const Condition& left, const Condition& right) const {
    if (left.comparison == Comparison::kExists || right.comparison == Comparison::kExists) {
      return left.comparison == Comparison::kEq && literal(left).kind == JsonKind::kNull;
    }
    const Literal& low = literal(left);
    const Literal& high = literal(right);
    if (!is_scalar(low.kind) || !is_scalar(high.kind)) {
      return false;
    }
    if (left.comparison == Comparison::kEq && right.comparison == Comparison::kEq) {
      return !is_alike(low, high);
    }
    if (left.comparison == Comparison::kEq && right.comparison == Comparison::kNe) {
      return low.kind == high.kind && program_.text(low.text) == program_.text(high.text);
    }
    const bool bounds_below = is_lower_bound(left.comparison) || left.comparison == Comparison::kEq;
    const bool bounds_above = (is_order(right.comparison) && !is_lower_bound(right.comparison)) ||
                              right.comparison == Comparison::kEq;
    return bounds_below && bounds_above &&
           is_empty_range(low, high,
                          is_inclusive(left.comparison) && is_inclusive(right.comparison));
  }

  bool is_alike(const Literal& left, const Literal& right) const {
    const bool are_numbers = std::holds_alternative<Number>(left.reading) &&
                             std::holds_alternative<Number>(right.reading);
    return are_numbers ? left.reading == right.reading
                       : program_.text(left.text) == program_.text(right.text);
  }

  bool is_empty_range(const Literal& low, const Literal& high, bool includes_ends) const {
    if (low.reading.index() != high.reading.index() || low.reading.index() == 0) {
      return false;
    }
    // A text that reads as neither is compared with texts as a text: "5x" is above "10" and below
    // "9".
    const bool are_texts = low.kind == JsonKind::kString && high.kind == JsonKind::kString;
    const std::string_view low_text = program_.text(low.text);
    const std::string_view high_text = program_.text(high.text);
    return includes_ends ? low.reading > high.reading && (!are_texts || low_text > high_text)
                         : low.reading >= high.reading && (!are_texts || low_text >= high_text);
  }

  bool passes_on_missing(const Condition& condition) const {
    Effort effort;
    return Evaluation(program_, {}, effort).passes(condition);
  }

  const Literal& literal(const Condition& condition) const {
    return program_.literals()[condition.literal];
  }

  const FilterProgram& program_;
  std::string_view type_pattern_;
  std::vector<NamedCondition> required_;  // each must pass, if the clauses are joined by AND
  size_t hopeless_clauses_ = 0;
  bool is_contradictory_ = false;
  std::vector<std::string> sentences_;
};

}  // namespace

std::vector<std::string> warnings_of(const Filter& filter, std::string_view type_pattern) {
  return filter.is_empty() ? std::vector<std::string>()
                           : Doubts(filter.program(), type_pattern).sentences();
}

}  // namespace match
