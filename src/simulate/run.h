// Runs a scenario on virtual time: the production intake, dispatcher and core on the simulator's
// store and receivers. The same scenario gives the same result, always.
#pragma once

#include <functional>

#include "base/time.h"
#include "delivery/transport.h"
#include "sim/sim_transport.h"
#include "simulate/result.h"
#include "simulate/scenario.h"

namespace simulate {

struct RunHooks {
  bool keep_starts = false;
  std::function<void(int percent)> progress;  // at each whole percent of the work
  // Replaces the receiver of the scenario; for tests of what the command line cannot say.
  std::function<sim::Reply(base::Duration at, const delivery::AttemptRequest& request)> receiver;
};

// The scenario must have been checked: see check().
Result run(const Scenario& scenario, const RunHooks& hooks);

}  // namespace simulate
