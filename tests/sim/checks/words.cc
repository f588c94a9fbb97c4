#include "tests/sim/checks/words.h"

#include <fmt/format.h>

namespace checks {
namespace {

template <class Value>
void note(std::string& text, const char* field, Value seen, Value expected) {
  if (seen != expected) {
    text += fmt::format("{}{} is {}, not {}", text.empty() ? "" : ", ", field, seen, expected);
  }
}

}  // namespace

const char* word(model::CircuitState state) {
  switch (state) {
    case model::CircuitState::kActive:
      return "active";
    case model::CircuitState::kDisabled:
      return "disabled";
    case model::CircuitState::kFrozen:
      return "frozen";
  }
  return "?";
}

const char* word(model::TransitionReason reason) {
  switch (reason) {
    case model::TransitionReason::kFailureRate:
      return "failure rate";
    case model::TransitionReason::kFailureRateInWindow:
      return "failure rate in window";
    case model::TransitionReason::kConsecutiveFailures:
      return "consecutive failures";
    case model::TransitionReason::kSilence:
      return "silence";
    case model::TransitionReason::kConsecutiveLimit:
      return "consecutive limit";
    case model::TransitionReason::kProbeSucceeded:
      return "probe succeeded";
    case model::TransitionReason::kEnabledByHand:
      return "enabled by hand";
    case model::TransitionReason::kPausedByHand:
      return "paused by hand";
    case model::TransitionReason::kResumedByHand:
      return "resumed by hand";
  }
  return "?";
}

const char* word(model::EndState end) {
  switch (end) {
    case model::EndState::kDelivered:
      return "delivered";
    case model::EndState::kDropped:
      return "dropped";
    case model::EndState::kCancelled:
      return "cancelled";
  }
  return "?";
}

std::string describe(const model::Transition& transition) {
  return fmt::format("{} -> {} at {} ({}: {} attempts, {} failures, {} in a row)",
                     word(transition.from), word(transition.to), transition.at.ms(),
                     word(transition.reason), transition.attempts, transition.failures,
                     transition.consecutive_failures);
}

std::string difference_of(const model::EndpointRecord& seen,
                          const model::EndpointRecord& expected) {
  std::string text;
  note(text, "state", word(seen.state), word(expected.state));
  note(text, "paused", seen.paused, expected.paused);
  note(text, "consecutive_failures", seen.consecutive_failures, expected.consecutive_failures);
  note(text, "since_enable.attempts", seen.since_enable.attempts, expected.since_enable.attempts);
  note(text, "since_enable.failures", seen.since_enable.failures, expected.since_enable.failures);
  note(text, "successes", seen.successes, expected.successes);
  note(text, "failures", seen.failures, expected.failures);
  note(text, "disabled_at", seen.disabled_at.ms(), expected.disabled_at.ms());
  note(text, "frozen_at", seen.frozen_at.ms(), expected.frozen_at.ms());
  note(text, "last_success_at", seen.last_success_at.ms(), expected.last_success_at.ms());
  note(text, "not_before", seen.not_before.ms(), expected.not_before.ms());
  note(text, "last_attempt_failed", seen.last_attempt_failed, expected.last_attempt_failed);
  note(text, "enabled_at", seen.enabled_at.ms(), expected.enabled_at.ms());
  note(text, "released_at", seen.released_at.ms(), expected.released_at.ms());
  note(text, "unfinished", seen.unfinished, expected.unfinished);
  return text;
}

}  // namespace checks
