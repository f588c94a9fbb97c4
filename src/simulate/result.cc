#include "simulate/result.h"

#include <algorithm>

namespace simulate {

using model::CircuitState;
using model::TransitionReason;

std::string_view state_name(CircuitState state) {
  switch (state) {
    case CircuitState::kActive:
      return "active";
    case CircuitState::kDisabled:
      return "disabled";
    case CircuitState::kFrozen:
      break;
  }
  return "frozen";
}

std::string_view reason_name(TransitionReason reason) {
  switch (reason) {
    case TransitionReason::kFailureRate:
      return "failure_rate";
    case TransitionReason::kFailureRateInWindow:
      return "failure_rate_in_window";
    case TransitionReason::kConsecutiveFailures:
      return "consecutive_failures";
    case TransitionReason::kSilence:
      return "silence";
    case TransitionReason::kConsecutiveLimit:
      return "consecutive_limit";
    case TransitionReason::kProbeSucceeded:
      return "probe_succeeded";
    case TransitionReason::kEnabledByHand:
      return "enabled_by_hand";
    case TransitionReason::kPausedByHand:
      return "paused_by_hand";
    case TransitionReason::kResumedByHand:
      break;
  }
  return "resumed_by_hand";
}

const Drain* largest_drain(const Result& result) {
  const auto largest = std::max_element(
      result.drains.begin(), result.drains.end(),
      [](const Drain& left, const Drain& right) { return left.deliveries < right.deliveries; });
  return largest == result.drains.end() ? nullptr : &*largest;
}

}  // namespace simulate
