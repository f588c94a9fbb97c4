// At most one attempt of a delivery in flight, until its outcome is durable; numbers without gaps;
// the outcome that is written is the outcome that was reported.
#pragma once

#include "tests/sim/checks/checker.h"

namespace checks {

class AttemptsCheck : public Checker {
 public:
  using Checker::Checker;

  void started(base::Instant at, const AttemptStarted& started) override;
  void ended(base::Instant at, const AttemptEnded& ended) override;
  void submitted(base::Instant at, const model::Section& section) override;

 private:
  void check_written(base::Instant at, const model::Attempt& attempt);
};

}  // namespace checks
