// Nothing is lost and nothing ends twice: what the process and the store count adds up, and equals
// what was seen from outside.
#pragma once

#include <array>
#include <cstdint>

#include "tests/sim/checks/checker.h"

namespace checks {

class ConservationCheck : public Checker {
 public:
  using Checker::Checker;

  void queued(base::Instant at, const Queued& queued) override;
  void started(base::Instant at, const AttemptStarted& started) override;
  void submitted(base::Instant at, const model::Section& section) override;
  void committed(base::Instant at, const model::Section& section) override;
  void counts(base::Instant at, const Counts& counts) override;
  void run_ended(base::Instant at) override;

 private:
  uint64_t& count_of(model::EndState end) { return ended_[static_cast<size_t>(end)]; }
  void check_against_seen(base::Instant at, const Counts& counts);

  uint64_t created_ = 0;
  std::array<uint64_t, 3> ended_{};
};

}  // namespace checks
