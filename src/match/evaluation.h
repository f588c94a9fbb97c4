// What the comparisons of filter.h mean, one function each; `actual` is the payload's, `expected`
// the subscriber's.
#pragma once

#include <cstdint>

#include "match/filter.h"
#include "match/filter_program.h"
#include "match/json.h"

namespace match {

class Evaluation {
 public:
  Evaluation(const FilterProgram& program, const States& states, Effort& effort)
      : program_(program), states_(states), effort_(effort) {}

  bool passes() const;
  bool passes(const Condition& condition) const;

 private:
  bool passes(const Clause& clause) const;
  bool compares(const Condition& condition, JsonValue actual) const;

  bool equals(JsonValue actual, const Literal& expected) const;
  bool equals_object(JsonValue actual, const Literal& expected) const;
  bool equals_list(JsonValue actual, const Literal& expected) const;
  bool is_ordered(Comparison comparison, JsonValue actual, const Literal& expected) const;
  bool contains(JsonValue actual, const Literal& expected) const;
  bool contains_none(JsonValue actual, const Literal& expected) const;
  bool contains_only(JsonValue actual, const Literal& expected) const;
  bool is_in(JsonValue element, const Literal& list) const;
  bool has_element(JsonValue list, const Literal& expected) const;
  bool is_changed(const Condition& condition) const;
  bool is_same(JsonValue left, JsonValue right) const;
  bool is_same_list(JsonValue left, JsonValue right) const;
  bool is_same_object(JsonValue left, JsonValue right) const;

  // Costs as much as the object has members.
  JsonValue find(JsonValue object, std::string_view key) const;
  std::string_view text(const Literal& literal) const { return program_.text(literal.text); }

  const FilterProgram& program_;
  const States& states_;
  Effort& effort_;
};

}  // namespace match
