#include "tests/sim/coverage.h"

namespace swarm {
namespace {

using model::CircuitState;
using model::OutcomeKind;
using model::TransitionReason;

}  // namespace

void Coverage::observe(const checks::Observation& observation) {
  if (const auto* started = std::get_if<checks::AttemptStarted>(&observation.event)) {
    observe(*started);
  } else if (const auto* ended = std::get_if<checks::AttemptEnded>(&observation.event)) {
    observe(*ended);
  } else if (const auto* submitted = std::get_if<checks::Submitted>(&observation.event)) {
    observe(submitted->section);
  } else if (const auto* queued = std::get_if<checks::Queued>(&observation.event)) {
    for (const model::Delivery& delivery : queued->deliveries) {
      if (delivery.blocked) {
        add(Feature::kOrdering);
      }
      if (delivery.range == model::DueRange::kRetry) {
        add(Feature::kRedelivered);
      }
    }
  } else if (std::holds_alternative<checks::Crashed>(observation.event)) {
    add(Feature::kCrash);
  } else if (std::holds_alternative<checks::StoreTrouble>(observation.event)) {
    add(Feature::kStoreTrouble);
  }
}

void Coverage::observe(const checks::AttemptStarted& attempt) {
  const bool is_drained = attempt.lane == model::Lane::kRetry && !attempt.is_probe &&
                          attempt.delivery.range == model::DueRange::kFirst;
  if (is_drained) {
    add(Feature::kRamp);
  }
  if (attempt.delivery.operational) {
    add(Feature::kOperational);
  }
}

void Coverage::observe(const checks::AttemptEnded& attempt) {
  const model::Outcome& outcome = attempt.outcome;
  if (honours_retry_after(outcome)) {
    add(Feature::kRetryAfter);
  }
  switch (outcome.kind) {
    case OutcomeKind::kResponse:
      if (outcome.status >= 400) {
        add(Feature::kReceiverStatus);
      } else if (outcome.status >= 300) {
        add(Feature::kReceiverRedirect);
      }
      break;
    case OutcomeKind::kTimeout:
      add(Feature::kReceiverTimeout);
      break;
    case OutcomeKind::kReset:
      add(Feature::kReceiverReset);
      break;
    case OutcomeKind::kNotStarted:
      add(Feature::kOwnFailure);
      break;
    case OutcomeKind::kDnsFailed:
    case OutcomeKind::kConnectFailed:
    case OutcomeKind::kTlsFailed:
    case OutcomeKind::kAddressRefused:
    case OutcomeKind::kProtocolError:
      break;
  }
}

void Coverage::observe(const model::Section& section) {
  for (const model::DeliveryChange& change : section.deliveries) {
    if (change.placed && !change.attempt && !change.removed) {
      add(Feature::kSpill);
    }
    if (change.end == model::EndState::kDropped) {
      add(change.attempt ? Feature::kDroppedTried : Feature::kDroppedHeld);
    }
    if (change.end == model::EndState::kCancelled) {
      add(Feature::kCancelled);
    }
  }
  for (const model::Transition& transition : section.transitions) {
    observe(transition);
  }
}

void Coverage::observe(const model::Transition& transition) {
  const bool was_active = transition.from == CircuitState::kActive;
  switch (transition.reason) {
    case TransitionReason::kFailureRate:
      add(Feature::kDisabledByRate);
      break;
    case TransitionReason::kFailureRateInWindow:
      add(Feature::kDisabledByWindow);
      break;
    case TransitionReason::kConsecutiveFailures:
      add(Feature::kDisabledByConsecutive);
      break;
    case TransitionReason::kSilence:
      add(was_active ? Feature::kFrozenBySilenceFromActive : Feature::kFrozenBySilence);
      break;
    case TransitionReason::kConsecutiveLimit:
      add(was_active ? Feature::kFrozenByLimitFromActive : Feature::kFrozenByLimit);
      break;
    case TransitionReason::kProbeSucceeded:
      add(Feature::kEnabledByProbe);
      break;
    case TransitionReason::kEnabledByHand:
      add(transition.from == CircuitState::kFrozen ? Feature::kUnfrozen : Feature::kEnabledByHand);
      break;
    case TransitionReason::kPausedByHand:
      add(Feature::kPaused);
      break;
    case TransitionReason::kResumedByHand:
      add(Feature::kResumed);
      break;
  }
}

}  // namespace swarm
