// An observation as a line for people, and as a number for comparing runs.
#pragma once

#include <cstdint>
#include <string>

#include "tests/sim/checks/history.h"

namespace swarm {

std::string describe(const checks::Observation& observation);

// Differs, for all practical purposes, if anything in the observation differs that decides a run.
uint64_t fingerprint(const checks::Observation& observation);

}  // namespace swarm
