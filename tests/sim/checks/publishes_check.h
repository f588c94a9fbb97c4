// Deliveries of operational events never cause operational events: no echo without end.
#pragma once

#include "tests/sim/checks/checker.h"

namespace checks {

class PublishesCheck : public Checker {
 public:
  using Checker::Checker;

  void submitted(base::Instant at, const model::Section& section) override;
};

}  // namespace checks
