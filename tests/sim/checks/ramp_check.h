// After an enable, a resume or a restart, what was queued before drains by a ramp: 1, 2, 4 ... at a
// time, doubled after a round without failure, halved on a failure, up to half the endpoint's cap;
// the earliest due first.
#pragma once

#include <map>

#include "tests/sim/checks/checker.h"

namespace checks {

class RampCheck : public Checker {
 public:
  using Checker::Checker;

  void started(base::Instant at, const AttemptStarted& started) override;
  void ended(base::Instant at, const AttemptEnded& ended) override;
  void submitted(base::Instant at, const model::Section& section) override;
  void committed(base::Instant at, const model::Section& section) override;

 private:
  struct Ramp {
    uint64_t number = 0;  // of the endpoint's releases; a new one begins at 1 again
    uint32_t most = 1;
    uint32_t successes = 0;
    uint32_t in_flight = 0;
  };

  Ramp& current(base::EndpointId endpoint);
  // The ramp that a delivery's attempt in flight belongs to, if it is the current one.
  Ramp* ramp_of(base::DeliveryId delivery);
  void count(Ramp& ramp, bool is_success) const;
  void check_order(base::Instant at, const DeliveryTrack& chosen, const EndpointTrack& endpoint);
  bool is_free_to_go(base::Instant at, const DeliveryTrack& track) const;

  std::map<base::EndpointId, Ramp> ramps_;
};

}  // namespace checks
