// The rules of an endpoint's circuit, as functions over its record. Pure: time is an argument.
//
// Every finished attempt is counted first; only a failed one is then judged, for freezing before
// disabling. Successes and the mere passing of time never close a circuit.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "core/options.h"
#include "model/delivery.h"
#include "model/endpoint.h"

namespace core {

// What an attempt remembers of the circuit at its start, to know later how it counts.
struct CircuitStamp {
  uint32_t changes = 0;  // of state, so far
  uint32_t enables = 0;
  model::CircuitState state = model::CircuitState::kActive;
};

model::Counting counting_of(const CircuitStamp& at_start, const CircuitStamp& now);

// Counts a success. Does not enable: see enable().
void count_success(model::EndpointRecord& endpoint, model::Counting counting, base::Instant at);

// Counts a failure.
void count_failure(model::EndpointRecord& endpoint, model::Counting counting, base::Instant at);

// Freezes or disables the endpoint if a rule says so.
std::optional<model::Transition> judge(model::EndpointRecord& endpoint,
                                       const CircuitOptions& options, base::Instant at);

// Makes a disabled or frozen endpoint active and empties what its rules count.
model::Transition enable(model::EndpointRecord& endpoint, model::TransitionReason reason,
                         base::Instant at);

model::Transition pause(model::EndpointRecord& endpoint, base::Instant at);
model::Transition resume(model::EndpointRecord& endpoint, base::Instant at);

// Attempts and failures of the current hour and the `hours` - 1 before it.
model::RateCount count_window(const model::HourlyWindow& window, int hours, base::Instant at);

}  // namespace core
