// The words in which a person is told how an attempt ended. Written here and nowhere else.
#pragma once

#include <string>
#include <string_view>

#include "model/outcome.h"

namespace model {

// Stable names for APIs and metrics: "timeout", "tls_failed".
std::string_view name_of(OutcomeKind kind);
// Likewise: "in_head", "wrong_host"; empty for kNone.
std::string_view name_of(OutcomeReason reason);

// One sentence without a full stop: what happened and, where it helps, what to look at.
std::string describe(const Outcome& outcome);

}  // namespace model
