#include "core/circuit.h"

#include <algorithm>

#include "base/check.h"

namespace core {
namespace {

using base::Instant;
using model::CircuitState;
using model::Counting;
using model::EndpointRecord;
using model::HourlyWindow;
using model::RateCount;
using model::Transition;
using model::TransitionReason;

// Moves the window to the hour of `at`, emptying the hours that nothing was counted in.
void advance(HourlyWindow& window, Instant at) {
  const int64_t hour = at.hour();
  if (hour - window.newest_hour >= HourlyWindow::kHours) {
    window.buckets.fill({});
  } else {
    for (int64_t empty = window.newest_hour + 1; empty <= hour; ++empty) {
      window.buckets[static_cast<size_t>(empty % HourlyWindow::kHours)] = {};
    }
  }
  window.newest_hour = std::max(window.newest_hour, hour);
}

void count_in_rates(EndpointRecord& endpoint, Instant at, bool failed) {
  advance(endpoint.window, at);
  RateCount& hour =
      endpoint.window
          .buckets[static_cast<size_t>(endpoint.window.newest_hour % HourlyWindow::kHours)];
  hour.attempts += 1;
  endpoint.since_enable.attempts += 1;
  if (failed) {
    hour.failures += 1;
    endpoint.since_enable.failures += 1;
  }
}

bool exceeds(const RateCount& count, const CircuitOptions& options) {
  return count.attempts > options.rate_attempts_min &&
         uint64_t{count.failures} * 100 > uint64_t{count.attempts} * options.rate_percent;
}

Transition describe(const EndpointRecord& endpoint, TransitionReason reason, Instant at) {
  return {.endpoint = endpoint.id,
          .at = at,
          .from = endpoint.state,
          .to = endpoint.state,
          .reason = reason,
          .attempts = endpoint.since_enable.attempts,
          .failures = endpoint.since_enable.failures,
          .consecutive_failures = endpoint.consecutive_failures,
          .last_success = endpoint.last_success_at};
}

std::optional<TransitionReason> reason_to_freeze(const EndpointRecord& endpoint,
                                                 const CircuitOptions& options, Instant at) {
  if (endpoint.consecutive_failures >= options.consecutive_limit) {
    return TransitionReason::kConsecutiveLimit;
  }
  const Instant baseline =
      std::max({endpoint.last_success_at, endpoint.enabled_at, endpoint.first_attempt_at});
  if (endpoint.consecutive_failures > options.consecutive_to_freeze &&
      at - baseline > options.silence_to_freeze) {
    return TransitionReason::kSilence;
  }
  return std::nullopt;
}

Transition close(EndpointRecord& endpoint, CircuitState to, Transition transition) {
  transition.to = to;
  endpoint.state = to;
  return transition;
}

std::optional<Transition> judge_disable(EndpointRecord& endpoint, const CircuitOptions& options,
                                        Instant at) {
  Transition transition = describe(endpoint, TransitionReason::kFailureRate, at);
  const RateCount in_window = count_window(endpoint.window, options.window_hours, at);
  if (exceeds(endpoint.since_enable, options)) {
    transition.reason = TransitionReason::kFailureRate;
  } else if (exceeds(in_window, options)) {
    transition.reason = TransitionReason::kFailureRateInWindow;
    transition.attempts = in_window.attempts;
    transition.failures = in_window.failures;
  } else if (options.consecutive_to_disable > 0 &&
             endpoint.consecutive_failures >= options.consecutive_to_disable) {
    transition.reason = TransitionReason::kConsecutiveFailures;
  } else {
    return std::nullopt;
  }
  endpoint.disabled_at = at;
  endpoint.probe_from = at + options.probe_interval;
  return close(endpoint, CircuitState::kDisabled, transition);
}

}  // namespace

Counting counting_of(const CircuitStamp& at_start, const CircuitStamp& now) {
  if (at_start.enables != now.enables) {
    return Counting::kLifetimeOnly;
  }
  return at_start.changes == now.changes ? Counting::kFull : Counting::kLate;
}

void count_success(EndpointRecord& endpoint, Counting counting, Instant at) {
  endpoint.successes += 1;
  endpoint.last_attempt_failed = false;
  if (counting == Counting::kLifetimeOnly) {
    return;
  }
  endpoint.consecutive_failures = 0;
  endpoint.last_success_at = std::max(endpoint.last_success_at, at);
  if (counting == Counting::kFull) {
    count_in_rates(endpoint, at, false);
  }
}

void count_failure(EndpointRecord& endpoint, Counting counting, Instant at) {
  endpoint.failures += 1;
  endpoint.last_attempt_failed = true;
  if (counting == Counting::kLifetimeOnly) {
    return;
  }
  endpoint.consecutive_failures += 1;
  if (counting == Counting::kFull) {
    count_in_rates(endpoint, at, true);
  }
}

std::optional<Transition> judge(EndpointRecord& endpoint, const CircuitOptions& options,
                                Instant at) {
  if (endpoint.state == CircuitState::kFrozen) {
    return std::nullopt;
  }
  if (const auto reason = reason_to_freeze(endpoint, options, at)) {
    endpoint.frozen_at = at;
    return close(endpoint, CircuitState::kFrozen, describe(endpoint, *reason, at));
  }
  if (endpoint.state == CircuitState::kDisabled) {
    return std::nullopt;
  }
  return judge_disable(endpoint, options, at);
}

Transition enable(EndpointRecord& endpoint, TransitionReason reason, Instant at) {
  CHECK(endpoint.state != CircuitState::kActive);
  Transition transition = describe(endpoint, reason, at);
  transition.to = CircuitState::kActive;
  endpoint.state = CircuitState::kActive;
  endpoint.disabled_at = {};
  endpoint.frozen_at = {};
  endpoint.probe_from = {};
  endpoint.not_before = {};
  endpoint.consecutive_failures = 0;
  endpoint.since_enable = {};
  endpoint.window = {};
  endpoint.enabled_at = at;
  endpoint.released_at = at;
  return transition;
}

Transition pause(EndpointRecord& endpoint, Instant at) {
  CHECK(!endpoint.paused);
  endpoint.paused = true;
  return describe(endpoint, TransitionReason::kPausedByHand, at);
}

Transition resume(EndpointRecord& endpoint, Instant at) {
  CHECK(endpoint.paused);
  endpoint.paused = false;
  endpoint.released_at = at;
  return describe(endpoint, TransitionReason::kResumedByHand, at);
}

RateCount count_window(const HourlyWindow& window, int hours, Instant at) {
  RateCount sum;
  const int64_t oldest = at.hour() - hours;
  for (int64_t hour = window.newest_hour; hour > window.newest_hour - HourlyWindow::kHours;
       --hour) {
    if (hour > oldest && hour >= 0) {
      const RateCount& bucket = window.buckets[static_cast<size_t>(hour % HourlyWindow::kHours)];
      sum.attempts += bucket.attempts;
      sum.failures += bucket.failures;
    }
  }
  return sum;
}

}  // namespace core
