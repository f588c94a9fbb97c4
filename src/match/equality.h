// Values that an event must have for a filter to pass: what an index can look up instead of
// evaluating every filter.
//
// Values are known by a hash, and values that `eq` takes for equal (1 and "1", true and "true")
// have the same. The reverse does not hold, so what is found by hash is evaluated all the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "match/filter.h"
#include "match/json.h"

namespace match {

// The way to a value: a side, and keys from the top down. Nearly all have one key, which is why it
// is not in a list.
struct FieldPath {
  Side side = Side::kNewState;
  std::string field;
  std::vector<std::string> nested;

  bool operator==(const FieldPath&) const = default;
  uint64_t hash() const;
};

struct Equality {
  FieldPath path;
  uint64_t value_hash = 0;
};

inline constexpr size_t kEqualitiesMax = 8;

// The first few equalities that hold whenever the filter passes; only with scalars other than null.
std::vector<Equality> required_equalities(const Filter& filter);

// What is looked up: a hash of the field and its value. Never 0.
uint64_t pinned_value(uint64_t path_hash, uint64_t value_hash);
inline uint64_t pinned_value(const Equality& equality) {
  return pinned_value(equality.path.hash(), equality.value_hash);
}

// The hash of what an event has there; nothing if that equals no scalar other than null.
std::optional<uint64_t> value_hash(const States& states, const FieldPath& path);

}  // namespace match
