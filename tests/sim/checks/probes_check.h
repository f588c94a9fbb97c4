// While disabled, probes: one at a time, spaced by the probe interval, the earliest due delivery,
// and without waiting for new traffic.
#pragma once

#include <map>

#include "tests/sim/checks/checker.h"

namespace checks {

class ProbesCheck : public Checker {
 public:
  using Checker::Checker;

  void started(base::Instant at, const AttemptStarted& started) override;
  void counts(base::Instant at, const Counts& counts) override;

 private:
  void check_choice(base::Instant at, const AttemptStarted& probe, const EndpointTrack& endpoint);
  bool is_candidate(base::Instant at, base::DeliveryId id) const;
  // Since when a probe could have started; never() if it still cannot.
  base::Instant possible_since(base::Instant at, const EndpointTrack& endpoint) const;
  void check_promptness(base::Instant at, const EndpointTrack& endpoint);

  std::map<base::EndpointId, base::Instant> reported_;  // one report per missed probe
};

}  // namespace checks
