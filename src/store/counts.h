// What is counted per hour: see rollups.h for where the counts wait and when they become rows.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace store {

struct Counts {
  uint64_t attempts = 0;
  uint64_t failures = 0;
  uint64_t delivered = 0;
  uint64_t dropped = 0;
  uint64_t cancelled = 0;
  uint64_t duration_ms = 0;  // of all attempts

  Counts& operator+=(const Counts& other);
  friend bool operator==(const Counts&, const Counts&) = default;
};

// What an endpoint has not in its rows yet: one of these per subscription and hour.
struct WaitingCount {
  base::SubscriptionId subscription;
  int64_t hour = 0;
  Counts counts;

  friend bool operator==(const WaitingCount&, const WaitingCount&) = default;
};
using WaitingCounts = std::vector<WaitingCount>;

}  // namespace store
