// The settings from which a delivery's retry slots are computed; the arithmetic is in
// core/retry_schedule.h. Global, and optionally per subscription.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"

namespace model {

// What the delays of the schedule are counted from.
enum class RetryAnchor : uint8_t {
  kQueued,           // retry n falls due f(n) after the delivery was queued
  kPreviousAttempt,  // attempt n+1 falls due f(n) after the outcome of failure n
};

struct RetryPolicy {
  static constexpr int kRetriesMax = 64;
  // As many as each published table has: 11 retries from queueing, or 11 attempts in all.
  static constexpr int kRetriesOfAnchor = -1;

  RetryAnchor anchor = RetryAnchor::kQueued;
  base::Duration unit = base::Duration::ms(84'800);  // f(n) = (2^n - 1) * unit
  int max_retries = kRetriesOfAnchor;
  std::vector<base::Duration> delays;  // if not empty: f(n) = delays[n - 1], and no more than these
  int jitter_percent = 0;              // of the gap before the slot; only ever later
  // kPreviousAttempt only: how long a held delivery is kept, if its delays do not add up to more.
  base::Duration horizon = base::Duration::hours(48);

  friend bool operator==(const RetryPolicy&, const RetryPolicy&) = default;
};

}  // namespace model
