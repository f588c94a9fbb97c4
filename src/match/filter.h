// Which payloads a subscription wants. Parsed once from the subscriber's JSON, evaluated on the one
// parse of each payload.
//
//   "filters": [
//     {"fieldName": "percentComplete", "fieldValue": "100", "comparison": "lt"},
//     {"type": "group", "connector": "OR", "filters": [
//       {"fieldName": "status", "fieldValue": "CUR", "state": "newState"},
//       {"fieldName": "priority", "fieldValue": 1, "comparison": "eq"}]}],
//   "filterConnector": "AND"
//
// A field is a key at the top of newState (the default) or oldState; a missing field is null.
// Texts are compared byte by byte. A number and a text that reads as one are equal, and so are true
// and "true"; see reading.h for what reads as a number or an instant.
//
//   eq           equal. An object in fieldValue mirrors nested keys: those it names must be equal,
//                others do not matter. A list must be equal element by element.
//   ne           not eq; so it passes on a missing field.
//   gt gte lt lte   ordered as instants if both are, else as numbers if both are, else as texts if
//                both are; anything else does not pass. With an object: at each key that it names.
//   contains     a text: has fieldValue within it. A list: has an element that is equal (objects:
//                in the keys that fieldValue names). Other scalars: equal. If fieldValue is a
//                list, each of it is contained; if it is an object and the field too, at each key.
//   notContains  not contains; if fieldValue is a list, none of it is contained.
//   containsOnly a list with the same set of values in any order. A single value, in fieldValue or
//                in the payload, counts as a list of one.
//   changed      differs between oldState and newState; fieldValue is ignored. An event without
//                both states never passes.
//   exists, notExists   is not null, is null or missing; fieldValue is ignored.
//
// It refuses to guess: unknown words are errors that name the place and the nearest known word. A
// filter that is correct but can never pass is no error; warnings_of() tells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "match/filter_program.h"
#include "match/json.h"

namespace match {

inline constexpr size_t kFiltersMax = 100;  // at the top: groups, and filters on their own
inline constexpr size_t kGroupsMax = 10;
inline constexpr size_t kGroupFiltersMin = 2;
inline constexpr size_t kGroupFiltersMax = 5;
inline constexpr size_t kFieldNameBytesMax = 256;
inline constexpr size_t kValueBytesMax = 4096;     // each text in a fieldValue
inline constexpr size_t kValueDepthMax = 8;        // nesting of a fieldValue
inline constexpr size_t kFilterValuesMax = 1000;   // all values of all filters
inline constexpr size_t kFilterBytesMax = 65'536;  // all texts of all filters

// The two states of an event, within its parsed payload.
struct States {
  JsonValue new_state;
  JsonValue old_state;

  // An object with newState or oldState has them there; any other payload is a new state itself.
  static States of(JsonValue payload);
};

// Bounds the work on one event: a tenant with many filters and a huge payload must not stop the
// others. About a nanosecond or two per step.
class Effort {
 public:
  static constexpr uint64_t kStepsMax = 50'000'000;

  explicit Effort(uint64_t steps_max = kStepsMax) : steps_max_(steps_max) {}

  void spend(uint64_t steps) { steps_ += steps; }
  // Once it is, evaluation stops and what it says means nothing.
  bool is_exhausted() const { return steps_ > steps_max_; }
  uint64_t steps() const { return steps_; }

 private:
  uint64_t steps_max_;
  uint64_t steps_ = 0;
};

class Filter {
 public:
  Filter() = default;  // passes everything
  explicit Filter(FilterProgram program) : program_(std::move(program)) {}

  bool is_empty() const { return program_.is_empty(); }
  bool passes(const States& states, Effort& effort) const;

  // Asks for it to be brought into the cache.
  void prefetch() const { program_.prefetch(); }

  const FilterProgram& program() const { return program_; }

 private:
  FilterProgram program_;
};

// `filters` and `connector` as above; missing or null is as good as none.
base::Result<Filter> parse_filter(JsonValue filters, JsonValue connector);

// The same from text: {"filters": [...], "filterConnector": "AND"}.
base::Result<Filter> parse_filter(JsonParser& parser, std::string_view text);

// Sentences about what can never pass, for a subscription to these event types (a pattern of
// type_pattern.h).
std::vector<std::string> warnings_of(const Filter& filter, std::string_view type_pattern);

std::string_view word_of(Comparison comparison);

}  // namespace match
