// What the process keeps in memory is bounded, however long the queues are; and a first attempt
// that cannot start gets its record in time.
#pragma once

#include <map>

#include "tests/sim/checks/checker.h"

namespace checks {

class MemoryCheck : public Checker {
 public:
  using Checker::Checker;

  void counts(base::Instant at, const Counts& counts) override;
  void queued(base::Instant at, const Queued& queued) override;
  void started(base::Instant at, const AttemptStarted& started) override;
  void ended(base::Instant at, const AttemptEnded& ended) override;
  void submitted(base::Instant at, const model::Section& section) override;
  void crashed(base::Instant at) override;
  void shard_lost(base::Instant at, base::ShardId shard) override;

 private:
  using InMemory = std::map<base::DeliveryId, base::Instant>;  // since when; ids grow with time

  void settle(base::EndpointId endpoint, base::DeliveryId delivery);
  void bound(base::Instant at, const char* what, uint64_t count, uint64_t most);

  std::map<base::EndpointId, InMemory> in_memory_;  // first attempts that have no record
};

}  // namespace checks
