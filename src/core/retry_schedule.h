// When a delivery is tried again, to the millisecond.
//
// The slots of a delivery are fixed when it is queued: f(n) = (2^n - 1) * unit after queueing. A
// failed attempt looks for the first slot that is still ahead; those that passed meanwhile
// collapse. With the other anchor, each wait f(n) counts from the n-th failure instead.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/delivery.h"
#include "model/retry_policy.h"

namespace core {

class RetrySchedule {
 public:
  // Refuses what would overflow or never end, with a sentence that names the setting.
  static base::Result<RetrySchedule> make(const model::RetryPolicy& policy);

  // When to try again after attempt number `delivery.attempts` failed at `failed_at`; nothing if no
  // slot is left and the delivery is dropped.
  std::optional<base::Instant> next_due(const model::Delivery& delivery,
                                        base::Instant failed_at) const;

  // When a delivery that no circuit let out is given up.
  base::Instant last_slot(const model::Delivery& delivery) const;

  // Due times of the retries after queueing if every outcome were instant, without jitter.
  std::vector<base::Duration> slots() const;

 private:
  explicit RetrySchedule(const model::RetryPolicy& policy);

  base::Duration jitter(const model::Delivery& delivery, size_t index) const;
  base::Instant slot(const model::Delivery& delivery, size_t index) const;

  model::RetryAnchor anchor_;
  int jitter_percent_;
  base::Duration horizon_;
  std::vector<base::Duration> delays_;  // f(1), f(2), ...
};

}  // namespace core
