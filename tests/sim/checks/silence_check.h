// What must not start: anything while frozen or paused, before Retry-After, while the process is
// down; anything but a probe while disabled; anything of a removed subscription or a cancelled
// delivery.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "tests/sim/checks/checker.h"

namespace checks {

class SilenceCheck : public Checker {
 public:
  using Checker::Checker;

  void started(base::Instant at, const AttemptStarted& started) override;
  void asked(base::Instant at, const CommandAsked& asked) override;
  void answered(base::Instant at, const CommandAnswered& answered) override;

 private:
  void check_circuit(base::Instant at, const AttemptStarted& started, const CircuitView& circuit);
  void check_wanted(base::Instant at, const model::Delivery& delivery);

  std::unordered_map<uint64_t, base::DeliveryId> cancels_;
  std::unordered_set<base::DeliveryId, IdHash> cancelled_;
};

}  // namespace checks
