// Time as the whole program knows it: integer milliseconds, typed, no clock.
//
// An Instant is *scheduling time*: wall time when the process started (or the last committed time,
// if the wall clock was set back since), and from there on the monotonic clock. So it never runs
// backwards, a step of the wall clock moves no retry slot, and it can be stored and compared after
// a restart. Only a Scheduler hands out instants; everything else receives them.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>

namespace base {

class Duration {
 public:
  constexpr Duration() = default;

  static constexpr Duration ms(int64_t count) { return Duration(count); }
  static constexpr Duration seconds(int64_t count) { return Duration(count * 1000); }
  static constexpr Duration minutes(int64_t count) { return Duration(count * 60'000); }
  static constexpr Duration hours(int64_t count) { return Duration(count * 3'600'000); }

  constexpr int64_t count_ms() const { return ms_; }

  constexpr auto operator<=>(const Duration&) const = default;
  constexpr Duration operator+(Duration other) const { return Duration(ms_ + other.ms_); }
  constexpr Duration operator-(Duration other) const { return Duration(ms_ - other.ms_); }
  constexpr Duration operator*(int64_t factor) const { return Duration(ms_ * factor); }

 private:
  explicit constexpr Duration(int64_t count) : ms_(count) {}
  int64_t ms_ = 0;
};

class Instant {
 public:
  constexpr Instant() = default;

  static constexpr Instant from_ms(int64_t since_epoch) { return Instant(since_epoch); }
  // Later than anything that can happen; used for "no upper bound".
  static constexpr Instant never() { return Instant(std::numeric_limits<int64_t>::max()); }

  constexpr int64_t ms() const { return ms_; }
  // Whole hours since the epoch: the buckets of the circuit's rolling window.
  constexpr int64_t hour() const { return ms_ / 3'600'000; }
  // The default value means "has not happened".
  constexpr bool is_set() const { return ms_ != 0; }

  constexpr auto operator<=>(const Instant&) const = default;
  constexpr Instant operator+(Duration later) const { return Instant(ms_ + later.count_ms()); }
  constexpr Instant operator-(Duration earlier) const { return Instant(ms_ - earlier.count_ms()); }
  constexpr Duration operator-(Instant earlier) const { return Duration::ms(ms_ - earlier.ms_); }

 private:
  explicit constexpr Instant(int64_t since_epoch) : ms_(since_epoch) {}
  int64_t ms_ = 0;
};

// Turns a monotonic clock into scheduling time. Made once at start-up; see the top of this file.
class SchedulingClock {
 public:
  SchedulingClock(Instant wall_clock, Instant last_committed, Duration monotonic)
      : origin_(std::max(wall_clock, last_committed) - monotonic) {}

  Instant at(Duration monotonic) const { return origin_ + monotonic; }

 private:
  Instant origin_;
};

}  // namespace base
