// How many held deliveries drain at once after the circuit let an endpoint go: 1, 2, 4 ... doubled
// after a round without failure, halved on a failure. A receiver that just came back is not run
// over.
#pragma once

#include <algorithm>
#include <cstdint>

namespace core {

class Ramp {
 public:
  void restart() { *this = {}; }

  uint32_t limit() const { return limit_; }

  // A round is as many successes in a row as the limit.
  void succeeded(uint32_t limit_max) {
    round_ += 1;
    if (round_ >= limit_) {
      limit_ = static_cast<uint16_t>(std::min<uint32_t>(limit_ * 2U, limit_max));
      round_ = 0;
    }
  }

  void failed() {
    limit_ = std::max<uint16_t>(1, limit_ / 2);
    round_ = 0;
  }

 private:
  uint16_t limit_ = 1;
  uint16_t round_ = 0;
};

}  // namespace core
