// The core's settings, with the defaults of the published rules.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "model/retry_policy.h"

namespace core {

struct CircuitOptions {
  // Disabled when attempts > rate_attempts_min and failures / attempts > rate_percent, either since
  // the last enable or within the window. 100 percent switches both off.
  uint32_t rate_attempts_min = 100;
  uint32_t rate_percent = 70;
  int window_hours = 24;  // 0 switches the rolling window off
  // Disabled at this many failures in a row; 0 switches the rule off.
  uint32_t consecutive_to_disable = 2000;
  // Frozen above this many failures in a row if the last success is longer ago than the silence.
  uint32_t consecutive_to_freeze = 2000;
  base::Duration silence_to_freeze = base::Duration::hours(72);
  // Frozen at this many failures in a row, whenever the last success was.
  uint32_t consecutive_limit = 50'000;
  base::Duration probe_interval = base::Duration::minutes(10);
};

struct LaneOptions {
  uint32_t in_flight_max = 8192;         // of one core, over all endpoints
  uint32_t endpoint_in_flight_max = 10;  // the retry lane gets half of both
  uint32_t memory_only_max = 1024;       // first attempts per endpoint without a record
  base::Duration memory_only_time = base::Duration::seconds(2);
  uint32_t window_max = 32;     // due deliveries in memory per queue and range
  uint32_t expiry_batch = 128;  // held deliveries given up at once
  uint32_t cancels_max = 1024;  // commands to cancel that wait for the disk
};

struct Options {
  model::RetryPolicy retry;
  base::Duration retry_after_max = base::Duration::hours(1);
  CircuitOptions circuit;
  LaneOptions lanes;
  base::Duration attempt_deadline = base::Duration::seconds(5);
  // A reason of our own kept an attempt from starting, or a commit from succeeding.
  base::Duration own_failure_delay = base::Duration::seconds(1);
  // Last slots that passed while nobody ran the shard count as this long after the start.
  base::Duration restart_grace = base::Duration::minutes(10);
  base::Duration checkpoint_interval = base::Duration::seconds(5);
};

}  // namespace core
