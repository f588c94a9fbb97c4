#include "tests/sim/checks/circuit_model.h"

#include <algorithm>

#include "tests/sim/checks/section_effect.h"

namespace checks {
namespace {

using model::CircuitState;
using model::Counting;
using model::TransitionReason;

bool is_rate_exceeded(const model::RateCount& count, const Settings& settings) {
  if (settings.rate_percent >= 100) {
    return false;
  }
  return count.attempts > settings.rate_attempts_min &&
         uint64_t{count.failures} * 100 > uint64_t{count.attempts} * settings.rate_percent;
}

}  // namespace

void CircuitModel::saw_start(base::Instant at) {
  if (!first_started_.is_set()) {
    first_started_ = at;
  }
}

std::optional<model::Transition> CircuitModel::count(const model::Attempt& attempt,
                                                     Counting counting, const Settings& settings,
                                                     FirstAttempt first) {
  const base::Duration patience = retry_after_of(attempt.outcome, settings);
  if (patience > base::Duration{}) {
    not_before_ = std::max(not_before_, attempt.finished_at + patience);
  }
  last_failed_ = !model::is_success(attempt.outcome);
  if (!first_counted_.is_set()) {
    first_counted_ = attempt.started_at;
  }
  if (counting == Counting::kFull) {
    const uint32_t failure = model::is_success(attempt.outcome) ? 0 : 1;
    count_in_hour(attempt.finished_at, failure);
    ++since_enable_.attempts;
    since_enable_.failures += failure;
  }
  if (!model::is_success(attempt.outcome)) {
    return count_failure(attempt, counting, settings, first);
  }
  const uint32_t consecutive_before = consecutive_;
  count_success(attempt, counting);
  if (counting != Counting::kFull || state_ != CircuitState::kDisabled) {
    return std::nullopt;
  }
  Transition enabled = enable(attempt.finished_at);
  enabled->reason = TransitionReason::kProbeSucceeded;
  enabled->consecutive_failures = consecutive_before;
  return enabled;
}

void CircuitModel::count_success(const model::Attempt& attempt, Counting counting) {
  ++successes_;
  if (counting != Counting::kLifetimeOnly) {
    consecutive_ = 0;
    last_success_ = attempt.finished_at;
  }
}

std::optional<model::Transition> CircuitModel::count_failure(const model::Attempt& attempt,
                                                             Counting counting,
                                                             const Settings& settings,
                                                             FirstAttempt first) {
  ++failures_;
  if (counting == Counting::kLifetimeOnly) {
    return std::nullopt;
  }
  ++consecutive_;
  Transition frozen = judge_freeze(attempt.finished_at, settings, first);
  return frozen.has_value() ? frozen : judge_disable(attempt.finished_at, settings);
}

std::optional<model::Transition> CircuitModel::judge_freeze(base::Instant at,
                                                            const Settings& settings,
                                                            FirstAttempt first) {
  if (state_ == CircuitState::kFrozen) {
    return std::nullopt;
  }
  if (consecutive_ >= settings.consecutive_limit) {
    return change(at, CircuitState::kFrozen, TransitionReason::kConsecutiveLimit);
  }
  const bool is_silent = at - silent_since(first) > settings.silence_to_freeze;
  if (consecutive_ > settings.consecutive_to_freeze && is_silent) {
    return change(at, CircuitState::kFrozen, TransitionReason::kSilence);
  }
  return std::nullopt;
}

std::optional<model::Transition> CircuitModel::judge_disable(base::Instant at,
                                                             const Settings& settings) {
  if (state_ != CircuitState::kActive) {
    return std::nullopt;
  }
  if (is_rate_exceeded(since_enable_, settings)) {
    return change(at, CircuitState::kDisabled, TransitionReason::kFailureRate);
  }
  const model::RateCount window = in_window(at, settings.window_hours);
  if (is_rate_exceeded(window, settings)) {
    Transition tripped =
        change(at, CircuitState::kDisabled, TransitionReason::kFailureRateInWindow);
    tripped->attempts = window.attempts;
    tripped->failures = window.failures;
    return tripped;
  }
  if (settings.consecutive_to_disable > 0 && consecutive_ >= settings.consecutive_to_disable) {
    return change(at, CircuitState::kDisabled, TransitionReason::kConsecutiveFailures);
  }
  return std::nullopt;
}

void CircuitModel::count_in_hour(base::Instant at, uint32_t failures) {
  Hour& bucket = hours_[static_cast<size_t>(at.hour()) % hours_.size()];
  if (bucket.hour != at.hour()) {
    bucket = {.hour = at.hour(), .count = {}};
  }
  ++bucket.count.attempts;
  bucket.count.failures += failures;
}

model::RateCount CircuitModel::in_window(base::Instant at, int hours) const {
  model::RateCount sum;
  for (const Hour& bucket : hours_) {
    if (bucket.hour > at.hour() - hours) {
      sum.attempts += bucket.count.attempts;
      sum.failures += bucket.count.failures;
    }
  }
  return sum;
}

base::Instant CircuitModel::silent_since(FirstAttempt first) const {
  const base::Instant first_attempt =
      first == FirstAttempt::kFirstCounted ? first_counted_ : first_started_;
  return std::max({last_success_, enabled_at_, first_attempt});
}

model::Transition CircuitModel::describe(base::Instant at, TransitionReason reason) const {
  return {.at = at,
          .from = state_,
          .to = state_,
          .reason = reason,
          .attempts = since_enable_.attempts,
          .failures = since_enable_.failures,
          .consecutive_failures = consecutive_};
}

std::optional<model::Transition> CircuitModel::change(base::Instant at, CircuitState next,
                                                      TransitionReason reason) {
  model::Transition made = describe(at, reason);
  made.to = next;
  state_ = next;
  (next == CircuitState::kFrozen ? frozen_at_ : disabled_at_) = at;
  return made;
}

std::optional<model::Transition> CircuitModel::enable(base::Instant at) {
  if (state_ == CircuitState::kActive) {
    return std::nullopt;
  }
  model::Transition made = describe(at, TransitionReason::kEnabledByHand);
  made.to = CircuitState::kActive;
  clear(at);
  return made;
}

void CircuitModel::clear(base::Instant at) {
  state_ = CircuitState::kActive;
  enabled_at_ = at;
  released_at_ = at;
  disabled_at_ = {};
  frozen_at_ = {};
  not_before_ = {};
  consecutive_ = 0;
  since_enable_ = {};
  hours_ = {};
}

std::optional<model::Transition> CircuitModel::pause(base::Instant at) {
  if (paused_) {
    return std::nullopt;
  }
  paused_ = true;
  return describe(at, TransitionReason::kPausedByHand);
}

std::optional<model::Transition> CircuitModel::resume(base::Instant at) {
  if (!paused_) {
    return std::nullopt;
  }
  paused_ = false;
  released_at_ = at;
  return describe(at, TransitionReason::kResumedByHand);
}

void CircuitModel::force(const model::Transition& transition) {
  if (transition.reason == TransitionReason::kPausedByHand) {
    paused_ = true;
  } else if (transition.reason == TransitionReason::kResumedByHand) {
    paused_ = false;
  } else if (transition.to == CircuitState::kActive) {
    clear(transition.at);
  } else {
    change(transition.at, transition.to, transition.reason);
  }
}

void CircuitModel::fill(model::EndpointRecord& record) const {
  record.state = state_;
  record.paused = paused_;
  record.last_attempt_failed = last_failed_;
  record.enabled_at = enabled_at_;
  record.released_at = released_at_;
  record.consecutive_failures = consecutive_;
  record.since_enable = since_enable_;
  record.successes = successes_;
  record.failures = failures_;
  record.disabled_at = disabled_at_;
  record.frozen_at = frozen_at_;
  record.last_success_at = last_success_;
  record.not_before = not_before_;
}

}  // namespace checks
