// What the delivery core needs to know of a subscription. Only subscriptions that differ from the
// defaults are made known to it: a million ordinary ones cost it nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "base/ids.h"
#include "base/time.h"
#include "model/retry_policy.h"

namespace model {

// At most `count` attempts per `period`, evenly spaced.
struct RateLimit {
  static constexpr uint32_t kCountMax = 1'000'000;

  uint32_t count = 1;
  base::Duration period = base::Duration::seconds(1);

  friend bool operator==(const RateLimit&, const RateLimit&) = default;
};

struct SubscriptionSettings {
  base::SubscriptionId id;
  bool ordered = false;  // one at a time and in order, per object
  std::optional<RateLimit> rate_limit;
  std::optional<uint32_t> in_flight_max;
  std::optional<base::Duration> deadline;
  std::optional<RetryPolicy> retry;

  // Such a subscription waits in a queue of its own, so that it never blocks its neighbours on the
  // same URL; all others share one queue per endpoint.
  bool has_own_queue() const {
    return ordered || rate_limit.has_value() || in_flight_max.has_value();
  }
};

}  // namespace model
