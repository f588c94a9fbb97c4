// One rule of the specification, or a few close ones. A checker is told of each observation BEFORE
// the ledger takes it in: the ledger shows the world as it was just before.
#pragma once

#include "base/time.h"
#include "tests/sim/checks/history.h"
#include "tests/sim/checks/ledger.h"
#include "tests/sim/checks/report.h"

namespace checks {

class Checker {
 public:
  Checker(const Ledger& ledger, Report& report) : ledger_(ledger), report_(report) {}
  virtual ~Checker() = default;
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  virtual void queued(base::Instant, const Queued&) {}
  virtual void started(base::Instant, const AttemptStarted&) {}
  virtual void ended(base::Instant, const AttemptEnded&) {}
  virtual void applied(base::Instant, const ReceiverApplied&) {}
  virtual void submitted(base::Instant, const model::Section&) {}
  // `section` is what was submitted under that number.
  virtual void committed(base::Instant, const model::Section&) {}
  virtual void crashed(base::Instant) {}
  virtual void restarted(base::Instant) {}
  virtual void shard_lost(base::Instant, base::ShardId) {}
  virtual void shard_regained(base::Instant, base::ShardId) {}
  virtual void asked(base::Instant, const CommandAsked&) {}
  virtual void answered(base::Instant, const CommandAnswered&) {}
  virtual void subscription_set(base::Instant, const model::SubscriptionSettings&) {}
  virtual void counts(base::Instant, const Counts&) {}
  virtual void run_ended(base::Instant) {}

 protected:
  const Settings& settings() const { return ledger_.settings(); }

  const Ledger& ledger_;
  Report& report_;
};

}  // namespace checks
