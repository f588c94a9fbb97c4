// A filter compiled into one block of memory: a million subscriptions keep theirs, and evaluating
// one touches two or three cache lines. Plain arrays; who writes them is filter_parser.cc, who
// reads them is evaluation.cc.
//
//   program = clauses, joined by a connector; clause = conditions, joined by its own.
//   A filter that stands alone is a clause with one condition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/prefetch.h"
#include "match/json.h"
#include "match/reading.h"

namespace match {

enum class Connector : uint8_t { kAnd, kOr };
enum class Side : uint8_t { kNewState, kOldState };

enum class Comparison : uint8_t {
  kEq,
  kNe,
  kGt,
  kGte,
  kLt,
  kLte,
  kContains,
  kNotContains,
  kContainsOnly,
  kChanged,
  kExists,
  kNotExists,
};

// Part of the program's text.
struct TextSlice {
  uint32_t offset = 0;
  uint32_t length = 0;
};

// A JSON value that a subscriber wrote. Those of a list or an object follow it.
struct Literal {
  TextSlice key;      // in its object, if it is a member of one
  TextSlice text;     // of a string; of other scalars as JSON writes them
  Reading reading;    // of a scalar
  uint32_t span = 1;  // how many literals it takes, itself included
  JsonKind kind = JsonKind::kNull;
};

struct Condition {
  TextSlice field;
  uint16_t literal = 0;  // where the value begins; meaningless where the comparison takes none
  Comparison comparison = Comparison::kEq;
  Side side = Side::kNewState;
};

struct Clause {
  uint16_t first = 0;
  uint16_t count = 0;
  Connector connector = Connector::kAnd;
  bool is_group = false;
};

// What a program is made from.
struct ProgramParts {
  Connector connector = Connector::kAnd;
  std::vector<Clause> clauses;
  std::vector<Condition> conditions;
  std::vector<Literal> literals;
  std::string text;

  TextSlice add_text(std::string_view addition);
};

class FilterProgram {
 public:
  FilterProgram() = default;
  explicit FilterProgram(const ProgramParts& parts);

  bool is_empty() const { return block_ == nullptr; }
  // Asks for the beginning to be brought into the cache; most programs are no longer.
  void prefetch() const { base::prefetch(block_.get(), 224); }

  Connector connector() const { return header().connector; }
  std::span<const Clause> clauses() const;
  std::span<const Condition> conditions() const;
  std::span<const Condition> conditions_of(const Clause& clause) const;
  std::span<const Literal> literals() const;
  std::string_view text(TextSlice slice) const;

 private:
  struct alignas(Literal) Header {
    uint32_t text_at = 0;
    uint16_t clauses = 0;
    uint16_t conditions = 0;
    uint16_t literals = 0;
    Connector connector = Connector::kAnd;
  };

  const Header& header() const { return *reinterpret_cast<const Header*>(block_.get()); }
  size_t conditions_at() const;
  size_t clauses_at() const;

  // Header, literals, conditions, clauses, text: in the order of their alignment.
  std::unique_ptr<std::byte[]> block_;
};

}  // namespace match
