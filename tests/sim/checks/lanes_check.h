// First attempts that were never held use the fresh lane, everything else the retry lane.
#pragma once

#include "tests/sim/checks/checker.h"

namespace checks {

class LanesCheck : public Checker {
 public:
  using Checker::Checker;

  void started(base::Instant at, const AttemptStarted& started) override;
};

}  // namespace checks
