#include "match/equality.h"

#include <algorithm>
#include <variant>

#include "base/hash.h"
#include "match/reading.h"

namespace match {

namespace {

uint64_t word_hash(std::string_view word) { return base::hash_bytes(word); }

class Requirements {
 public:
  explicit Requirements(const FilterProgram& program) : program_(program) {}

  std::vector<Equality> find() {
    const auto clauses = program_.clauses();
    if (program_.connector() == Connector::kOr && clauses.size() > 1) {
      return {};
    }
    for (const Clause& clause : clauses) {
      if (clause.connector == Connector::kAnd) {
        add_clause(clause);
      }
    }
    return std::move(found_);
  }

 private:
  void add_clause(const Clause& clause) {
    for (const Condition& condition : program_.conditions_of(clause)) {
      if (condition.comparison == Comparison::kEq) {
        path_ = {.side = condition.side,
                 .field = std::string(program_.text(condition.field)),
                 .nested = {}};
        add(program_.literals()[condition.literal]);
      }
    }
  }

  void add(const Literal& literal) {
    switch (literal.kind) {
      case JsonKind::kObject:
        for (uint32_t nested = 1; nested < literal.span; nested += (&literal)[nested].span) {
          path_.nested.emplace_back(program_.text((&literal)[nested].key));
          add((&literal)[nested]);
          path_.nested.pop_back();
        }
        return;
      case JsonKind::kMissing:
      case JsonKind::kNull:
      case JsonKind::kArray:
        return;
      default:
        if (found_.size() < kEqualitiesMax) {
          found_.push_back({.path = path_, .value_hash = hash_of(literal)});
        }
    }
  }

  uint64_t hash_of(const Literal& literal) const {
    const auto* number = std::get_if<Number>(&literal.reading);
    return number != nullptr ? number->hash() : word_hash(program_.text(literal.text));
  }

  const FilterProgram& program_;
  FieldPath path_;
  std::vector<Equality> found_;
};

}  // namespace

uint64_t FieldPath::hash() const {
  uint64_t hash = base::mix(static_cast<uint64_t>(side), base::hash_bytes(field));
  for (const std::string& key : nested) {
    hash = base::mix(hash, base::hash_bytes(key));
  }
  return hash;
}

uint64_t pinned_value(uint64_t path_hash, uint64_t value_hash) {
  return std::max<uint64_t>(base::mix(path_hash, value_hash), 1);
}

std::vector<Equality> required_equalities(const Filter& filter) {
  return filter.is_empty() ? std::vector<Equality>() : Requirements(filter.program()).find();
}

std::optional<uint64_t> value_hash(const States& states, const FieldPath& path) {
  const JsonValue state = path.side == Side::kNewState ? states.new_state : states.old_state;
  JsonValue value = state.find(path.field);
  for (const std::string& key : path.nested) {
    value = value.find(key);
  }
  if (const auto number = number_in(value)) {
    return number->hash();
  }
  if (value.kind() == JsonKind::kBool) {
    return word_hash(value.as_bool() ? "true" : "false");
  }
  // No filter has a longer text, and hashing a megabyte is not free.
  if (value.kind() == JsonKind::kString && value.as_string().size() <= kValueBytesMax) {
    return word_hash(value.as_string());
  }
  return std::nullopt;
}

}  // namespace match
