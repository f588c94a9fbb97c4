// What happened over time, in at most a thousand intervals of equal width: nobody knows beforehand
// how long a run will be, so intervals begin narrow and are merged when they become too many.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"

namespace simulate {

struct Backlog {
  uint64_t waiting = 0;
  uint64_t held = 0;
  uint64_t in_flight = 0;

  uint64_t unfinished() const { return waiting + held + in_flight; }
};

struct Interval {
  Backlog at_start;
  uint64_t attempts = 0;  // started in it
  uint64_t failures = 0;  // of those
  uint64_t dropped = 0;
};

class Series {
 public:
  static constexpr size_t kIntervalsMax = 1000;

  base::Duration width() const;
  base::Duration start_of(size_t index) const { return width() * static_cast<int64_t>(index); }
  const std::vector<Interval>& intervals() const { return intervals_; }

  // When the backlog is to be looked at next.
  base::Duration next_start() const { return start_of(intervals_.size()); }
  void begin_interval(const Backlog& backlog);

  // The interval of something that happens now, which is never before the last one began.
  Interval& current() { return intervals_.back(); }

  // The same in wider intervals, at most `count` of them.
  Series condensed(size_t count) const;

 private:
  void widen();

  size_t width_index_ = 0;
  std::vector<Interval> intervals_;
};

}  // namespace simulate
