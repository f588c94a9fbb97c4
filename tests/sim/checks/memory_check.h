// What the process keeps in memory is bounded, however long the queues are.
#pragma once

#include "tests/sim/checks/checker.h"

namespace checks {

class MemoryCheck : public Checker {
 public:
  using Checker::Checker;

  void counts(base::Instant at, const Counts& counts) override;

 private:
  void bound(base::Instant at, const char* what, uint64_t count, uint64_t most);
};

}  // namespace checks
