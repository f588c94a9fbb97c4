#include "model/circuit_names.h"

namespace model {

std::string_view name_of(CircuitState state) {
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

std::string_view name_of(TransitionReason reason) {
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

}  // namespace model
