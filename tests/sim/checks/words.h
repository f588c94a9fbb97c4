// The words of the model, for the sentences of violations.
#pragma once

#include <string>

#include "model/endpoint.h"

namespace checks {

const char* word(model::CircuitState state);
const char* word(model::TransitionReason reason);
const char* word(model::EndState end);
std::string describe(const model::Transition& transition);
// Which fields of the two differ, among those that the reference model knows.
std::string difference_of(const model::EndpointRecord& seen, const model::EndpointRecord& expected);

}  // namespace checks
