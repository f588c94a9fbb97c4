// The stable names of circuit states and of what led to them: in answers, reports and logs.
#pragma once

#include <string_view>

#include "model/delivery.h"
#include "model/endpoint.h"

namespace model {

std::string_view name_of(CircuitState state);       // "active"
std::string_view name_of(TransitionReason reason);  // "failure_rate"

}  // namespace model
