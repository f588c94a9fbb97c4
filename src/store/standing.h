// Where the store stands after a commit: one row, written with every commit.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "base/time.h"

namespace store {

// What the deliveries ever created add up to. Conservation: created = delivered + dropped +
// cancelled + expired + unfinished.
struct Totals {
  uint64_t created = 0;
  uint64_t delivered = 0;
  uint64_t dropped = 0;
  uint64_t cancelled = 0;
  uint64_t expired = 0;  // had ended, and retention or an erase removed them
  uint64_t events = 0;   // accepted, with and without deliveries, and not removed since

  uint64_t ended() const { return delivered + dropped + cancelled + expired; }
  uint64_t unfinished() const { return created - ended(); }
  friend bool operator==(const Totals&, const Totals&) = default;
};

// Events by their place in the order of commits.
struct SequenceRange {
  base::Sequence from = 0;
  base::Sequence until = 0;  // not included

  bool contains(base::Sequence sequence) const { return from <= sequence && sequence < until; }
  friend bool operator==(const SequenceRange&, const SequenceRange&) = default;
};

struct Standing {
  uint64_t commit = 0;  // number of the last commit
  base::Sequence next_sequence = 1;
  base::Sequence low_water = 0;
  base::Sequence retained_from = 1;  // retention has removed everything before it
  base::Instant last_committed;
  Totals totals;
};

}  // namespace store
