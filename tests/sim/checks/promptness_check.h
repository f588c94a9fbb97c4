// A due delivery of an idle, healthy endpoint starts within seconds. Whatever may delay it lawfully
// moves the moment from which the seconds are counted, so a busy endpoint is never accused; a
// wake-up that was lost is.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "tests/sim/checks/checker.h"

namespace checks {

class PromptnessCheck : public Checker {
 public:
  using Checker::Checker;

  void started(base::Instant at, const AttemptStarted& started) override;
  void counts(base::Instant at, const Counts& counts) override;

 private:
  void check(base::Instant at, const DeliveryTrack& track, const EndpointTrack& endpoint);
  // Since when nothing has stood in the way of this delivery.
  base::Instant free_since(const DeliveryTrack& track, const EndpointTrack& endpoint) const;

  std::unordered_map<base::SubscriptionId, base::Instant, IdHash> last_starts_;
  std::unordered_set<base::DeliveryId, IdHash> reported_;
};

}  // namespace checks
