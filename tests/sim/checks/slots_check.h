// Each attempt at its slot, each failed delivery placed at its next slot or dropped if none is
// left, and held ones dropped at their last slot: neither before nor long after.
#pragma once

#include <unordered_set>

#include "tests/sim/checks/checker.h"
#include "tests/sim/checks/slot_table.h"

namespace checks {

class SlotsCheck : public Checker {
 public:
  using Checker::Checker;

  void queued(base::Instant at, const Queued& queued) override;
  void started(base::Instant at, const AttemptStarted& started) override;
  void submitted(base::Instant at, const model::Section& section) override;
  void counts(base::Instant at, const Counts& counts) override;

 private:
  void check_after_attempt(base::Instant at, const model::DeliveryChange& change,
                           const DeliveryTrack& track);
  void check_after_success(base::Instant at, const model::DeliveryChange& change);
  void check_after_failure(base::Instant at, const model::DeliveryChange& change,
                           const DeliveryTrack& track);
  void check_placed(base::Instant at, const model::Delivery& placed, const DeliveryTrack& track);
  void check_untried_end(base::Instant at, const model::DeliveryChange& change,
                         const DeliveryTrack& track);
  void check_moved(base::Instant at, const model::Delivery& placed, const DeliveryTrack& track);
  void check_stale(base::Instant at, const EndpointTrack& endpoint);
  bool may_be_cancelled(const DeliveryTrack& track) const;
  // The last slot as it counts now: those before the start of the process count from there.
  base::Instant counted_last_slot(base::Instant last_slot, base::ShardId shard) const;

  std::unordered_set<base::DeliveryId, IdHash> reported_;
};

}  // namespace checks
