// Ordered subscriptions: of one object only the oldest unfinished delivery is ever sent.
#pragma once

#include "tests/sim/checks/checker.h"

namespace checks {

class OrderingCheck : public Checker {
 public:
  using Checker::Checker;

  void started(base::Instant at, const AttemptStarted& started) override;
};

}  // namespace checks
