#include "tests/sim/checks/section_effect.h"

#include <algorithm>

namespace checks {

base::Duration retry_after_of(const model::Outcome& outcome, const Settings& settings) {
  if (!model::honours_retry_after(outcome)) {
    return {};
  }
  return std::clamp(*outcome.retry_after, base::Duration{}, settings.retry_after_max);
}

void count_attempt(const model::Attempt& attempt, bool is_current, const Settings& settings,
                   CircuitView& circuit) {
  const bool is_success = model::is_success(attempt.outcome);
  circuit.last_failed = !is_success;
  circuit.has_succeeded = circuit.has_succeeded || is_success;
  const base::Duration patience = retry_after_of(attempt.outcome, settings);
  if (patience > base::Duration{}) {
    circuit.not_before = std::max(circuit.not_before, attempt.finished_at + patience);
  }
  if (!is_success && attempt.is_probe && is_current) {
    circuit.probe_from = attempt.finished_at + settings.probe_interval;
  }
}

bool follow(const model::Transition& transition, const Settings& settings, CircuitView& circuit) {
  using model::CircuitState;
  circuit.changed_at = transition.at;
  if (transition.reason == model::TransitionReason::kPausedByHand) {
    circuit.paused = true;
    return false;
  }
  if (transition.reason == model::TransitionReason::kResumedByHand) {
    circuit.paused = false;
    circuit.released_at = transition.at;
    return true;
  }
  circuit.state_changes += transition.from != transition.to ? 1 : 0;
  circuit.state = transition.to;
  if (transition.to == CircuitState::kDisabled) {
    circuit.probe_from = transition.at + settings.probe_interval;
  }
  if (transition.to != CircuitState::kActive) {
    return false;
  }
  ++circuit.enables;
  circuit.not_before = {};
  circuit.released_at = transition.at;
  return true;
}

}  // namespace checks
