// A receiver sees a delivery twice only if we could not know that it had seen it: the attempt
// failed as far as we could tell, or a crash or takeover hit it in flight.
#pragma once

#include <unordered_map>

#include "tests/sim/checks/checker.h"

namespace checks {

class DuplicatesCheck : public Checker {
 public:
  using Checker::Checker;

  void applied(base::Instant at, const ReceiverApplied& applied) override;
  void ended(base::Instant at, const AttemptEnded& ended) override;
  void crashed(base::Instant at) override;
  void shard_lost(base::Instant at, base::ShardId shard) override;

 private:
  // A slow receiver may act after we gave up on it, so the two are counted instead of paired.
  struct Sight {
    uint32_t applied = 0;
    uint32_t excuses = 0;
  };

  void excuse_in_flight(const EndpointTrack& endpoint);

  std::unordered_map<base::DeliveryId, Sight, IdHash> sights_;
};

}  // namespace checks
