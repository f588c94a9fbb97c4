// A rate limit: so many starts per period, evenly spaced.
//
// Exact in integers: instead of dividing the period by the count, time is multiplied by the count.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "model/subscription.h"

namespace core {

class Pacer {
 public:
  bool allows(const model::RateLimit& limit, base::Instant now) const { return now >= next(limit); }

  // The earliest time of the next start.
  base::Instant next(const model::RateLimit& limit) const {
    return base::Instant::from_ms(divide_up(next_in_units_of(limit), limit.count));
  }

  // A start. A probe may start before its time; what follows waits all the longer.
  void take(const model::RateLimit& limit, base::Instant now) {
    // A start in the first whole millisecond that is allowed is on time. Counting from that
    // millisecond would make 600 a second 500.
    const bool is_late = now > next(limit);
    next_scaled_ = (is_late ? now.ms() * int64_t{limit.count} : next_in_units_of(limit)) +
                   limit.period.count_ms();
    count_ = limit.count;
  }

  // The last start was none.
  void give_back(const model::RateLimit& limit) {
    next_scaled_ = next_in_units_of(limit) - limit.period.count_ms();
    count_ = limit.count;
  }

 private:
  static int64_t divide_up(int64_t number, int64_t by) { return (number + by - 1) / by; }

  // The limit may have been changed since the last start.
  int64_t next_in_units_of(const model::RateLimit& limit) const {
    return limit.count == count_ ? next_scaled_
                                 : divide_up(next_scaled_, count_) * int64_t{limit.count};
  }

  int64_t next_scaled_ = 0;  // earliest next start in ms, times the count of the limit
  uint32_t count_ = 1;
};

}  // namespace core
