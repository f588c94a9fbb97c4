#include "api/circuit_words.h"

#include <fmt/core.h>

#include <string_view>

#include "text/quantity.h"
#include "text/time_text.h"

namespace api {
namespace {

using model::CircuitState;
using model::Transition;
using model::TransitionReason;

std::string rate_words(const Transition& transition, const core::CircuitOptions& options,
                       std::string_view when) {
  return fmt::format("{} of {} attempts {} failed, more than {} percent",
                     text::grouped(transition.failures), text::grouped(transition.attempts), when,
                     options.rate_percent);
}

std::string row_words(const Transition& transition) {
  return fmt::format("{} attempts in a row failed", text::grouped(transition.consecutive_failures));
}

std::string silence_words(const Transition& transition, const core::CircuitOptions& options) {
  const std::string success = transition.last_success.is_set()
                                  ? fmt::format("the last success was at {}, more than {} before",
                                                text::time_text(transition.last_success),
                                                text::duration_text(options.silence_to_freeze))
                                  : fmt::format("there was no success for more than {}",
                                                text::duration_text(options.silence_to_freeze));
  return fmt::format("{}, and {}", row_words(transition), success);
}

// What a state means for deliveries.
std::string consequence(CircuitState state, const core::CircuitOptions& options) {
  switch (state) {
    case CircuitState::kActive:
      break;
    case CircuitState::kDisabled:
      return fmt::format("one delivery is tried every {}, and a success enables the endpoint again",
                         text::duration_text(options.probe_interval));
    case CircuitState::kFrozen:
      return "nothing is sent until the endpoint is enabled by hand";
  }
  return "everything due is sent";
}

std::string_view capitalised(CircuitState state) {
  switch (state) {
    case CircuitState::kActive:
      break;
    case CircuitState::kDisabled:
      return "Disabled";
    case CircuitState::kFrozen:
      return "Frozen";
  }
  return "Active";
}

}  // namespace

std::string describe(const Transition& transition, const core::CircuitOptions& options) {
  switch (transition.reason) {
    case TransitionReason::kFailureRate:
      return rate_words(transition, options, "since the last enable");
    case TransitionReason::kFailureRateInWindow:
      return rate_words(transition, options, fmt::format("within {} hours", options.window_hours));
    case TransitionReason::kConsecutiveFailures:
    case TransitionReason::kConsecutiveLimit:
      return row_words(transition);
    case TransitionReason::kSilence:
      return silence_words(transition, options);
    case TransitionReason::kProbeSucceeded:
      return "a probe succeeded";
    case TransitionReason::kEnabledByHand:
      return "it was enabled by hand";
    case TransitionReason::kPausedByHand:
      return "it was paused by hand";
    case TransitionReason::kResumedByHand:
      break;
  }
  return "it was resumed by hand";
}

std::string explain(const model::EndpointRecord& endpoint,
                    const std::optional<Transition>& last_change,
                    const core::CircuitOptions& options) {
  std::string words(capitalised(endpoint.state));
  // A transition that is not durable yet is not in the history: then the words lack its numbers.
  if (last_change && last_change->to == endpoint.state) {
    words += fmt::format(" since {}, because {}", text::time_text(last_change->at),
                         describe(*last_change, options));
  } else if (endpoint.state == CircuitState::kActive) {
    words += ", and no rule has ever fired";
  }
  const std::string what = endpoint.paused ? "paused by hand: nothing is sent until it is resumed"
                                           : consequence(endpoint.state, options);
  return fmt::format("{}; {}", words, what);
}

}  // namespace api
