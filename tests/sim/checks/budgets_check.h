// How much may be in flight: per endpoint, in all, per lane, per subscription; and how fast a
// subscription with a rate limit may be served.
#pragma once

#include <map>
#include <utility>

#include "tests/sim/checks/checker.h"

namespace checks {

class BudgetsCheck : public Checker {
 public:
  using Checker::Checker;

  void started(base::Instant at, const AttemptStarted& started) override;
  void ended(base::Instant at, const AttemptEnded& ended) override;
  void crashed(base::Instant at) override;
  void shard_lost(base::Instant at, base::ShardId shard) override;
  void subscription_set(base::Instant at, const model::SubscriptionSettings& settings) override;

 private:
  // A delivery keeps its endpoint when the URL of its subscription changes: one pace for each.
  using PaceKey = std::pair<base::SubscriptionId, base::EndpointId>;
  // Times multiplied by the limit's count, so that the spacing period/count is a whole number.
  struct Pace {
    int64_t next = 0;
    int64_t before = 0;  // what `next` was before the last start
  };

  void check_endpoint(base::Instant at, const AttemptStarted& started);
  void check_total(base::Instant at, const AttemptStarted& started);
  void check_subscription(base::Instant at, const AttemptStarted& started);
  void check_pace(base::Instant at, const AttemptStarted& started, const model::RateLimit& limit);
  void bound(base::Instant at, const char* rule, uint32_t count, uint32_t most);

  std::map<PaceKey, Pace> paces_;
};

}  // namespace checks
