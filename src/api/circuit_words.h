// A circuit in words: its state, and why it is in it, with the numbers that led there.
#pragma once

#include <optional>
#include <string>

#include "core/options.h"
#include "model/endpoint.h"

namespace api {

// One sentence without a full stop: what led to this transition.
std::string describe(const model::Transition& transition, const core::CircuitOptions& options);
// One sentence without a full stop: what the endpoint does now and why. `last_change`: the
// transition that led to its present state.
std::string explain(const model::EndpointRecord& endpoint,
                    const std::optional<model::Transition>& last_change,
                    const core::CircuitOptions& options);

}  // namespace api
