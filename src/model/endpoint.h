// An endpoint: one URL of one tenant, with its circuit. Plain data; core/circuit.h has the rules.
//
//               rate or 2000 in a row              >2000 in a row and 72 h silent, or 50 000
//     active ------------------------> disabled ------------------------------------> frozen
//       ^  \--------------------------------------------------------------------------^ |
//       |          probe succeeded, or enabled by hand |                                |
//       +----------------------------------------------+        enabled by hand only    |
//       +-------------------------------------------------------------------------------+
//
// Paused is a flag beside the state: nothing is sent, whatever the state says.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "model/delivery.h"

namespace model {

struct RateCount {
  uint32_t attempts = 0;
  uint32_t failures = 0;

  friend bool operator==(const RateCount&, const RateCount&) = default;
};

// Attempts and failures of the current wall-clock hour and the 23 before it.
struct HourlyWindow {
  static constexpr int kHours = 24;

  int64_t newest_hour = 0;  // hours since the epoch; buckets[newest_hour % kHours] is that hour
  std::array<RateCount, kHours> buckets{};
};

enum class TransitionReason : uint8_t {
  kFailureRate,          // too many failures since the last enable
  kFailureRateInWindow,  // too many failures within the rolling window
  kConsecutiveFailures,  // too many failures in a row
  kSilence,              // many failures in a row and no success for days
  kConsecutiveLimit,     // very many failures in a row
  kProbeSucceeded,
  kEnabledByHand,
  kPausedByHand,
  kResumedByHand,
};

// One line of an endpoint's history, with the numbers that led to it.
struct Transition {
  base::EndpointId endpoint;
  base::Instant at;
  CircuitState from = CircuitState::kActive;
  CircuitState to = CircuitState::kActive;
  TransitionReason reason = TransitionReason::kFailureRate;
  uint32_t attempts = 0;  // of the rule that fired: since the last enable, or in the window
  uint32_t failures = 0;
  uint32_t consecutive_failures = 0;
  base::Instant last_success;
};

// All of an endpoint that must survive a restart.
struct EndpointRecord {
  base::EndpointId id;
  base::TenantId tenant;

  CircuitState state = CircuitState::kActive;
  bool paused = false;
  bool last_attempt_failed = false;
  // Two publications about the circuit a minute at most; see core/circuits.cc.
  bool disabled_was_published = false;
  uint32_t publications_withheld = 0;
  base::Instant disabled_published_at;

  uint32_t consecutive_failures = 0;
  RateCount since_enable;
  HourlyWindow window;
  uint64_t successes = 0;  // lifetime
  uint64_t failures = 0;   // lifetime; successes + failures is the ordinal of the last attempt

  base::Instant first_attempt_at;
  base::Instant last_success_at;
  base::Instant enabled_at;   // the last enable, by hand or by a probe
  base::Instant disabled_at;  // unset unless disabled, or frozen after having been disabled
  base::Instant frozen_at;    // unset unless frozen
  base::Instant
      released_at;  // the last enable or resume: what was queued before it drains by a ramp
  base::Instant not_before;  // Retry-After: nothing starts before
  base::Instant probe_from;  // disabled: no probe before

  uint64_t unfinished = 0;       // deliveries queued and not ended
  base::DeliveryId last_queued;  // the newest delivery that `unfinished` includes

  uint64_t attempts() const { return successes + failures; }
  bool lets_out() const { return state == CircuitState::kActive && !paused; }
};

}  // namespace model
