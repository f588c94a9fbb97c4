// A rate limit: so many starts per period, evenly spaced.
//
// Exact in integers: instead of dividing the period by the count, time is multiplied by the count.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.h"
#include "model/subscription.h"

namespace core {

class Pacer {
 public:
  bool allows(const model::RateLimit& limit, base::Instant now) const {
    return now >= next(limit);
  }

  // The earliest time of the next start.
  base::Instant next(const model::RateLimit& limit) const {
    const int64_t count = limit.count;
    return base::Instant::from_ms((next_scaled_ + count - 1) / count);
  }

  // A start. A probe may start before its time; what follows waits all the longer.
  void take(const model::RateLimit& limit, base::Instant now) {
    next_scaled_ = std::max(next_scaled_, now.ms() * int64_t{limit.count}) + limit.period.count_ms();
  }

 private:
  int64_t next_scaled_ = 0;  // earliest next start in ms, times the count
};

}  // namespace core
