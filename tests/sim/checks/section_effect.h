// What a submitted section does to what is seen of a circuit. Not the reference model: this follows
// the transitions that were written, right or wrong, so that each checker judges its own rule only.
#pragma once

#include "model/section.h"
#include "tests/sim/checks/history.h"
#include "tests/sim/checks/ledger.h"

namespace checks {

// What the receiver asked for, cut; zero if it may not ask.
base::Duration retry_after_of(const model::Outcome& outcome, const Settings& settings);

// `is_current`: the circuit's state is the one in which the attempt started.
void count_attempt(const model::Attempt& attempt, bool is_current, const Settings& settings,
                   CircuitView& circuit);

// True if this released what was held: an enable or a resume.
bool follow(const model::Transition& transition, const Settings& settings, CircuitView& circuit);

}  // namespace checks
