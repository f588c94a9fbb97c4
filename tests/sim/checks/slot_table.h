// The retry slots of a delivery, from section 2 of the specification. With jitter a slot is a
// range: the hash that places it is not known here.
#pragma once

#include "base/time.h"
#include "model/retry_policy.h"

namespace checks {

struct SlotRange {
  base::Instant earliest;
  base::Instant latest;

  bool holds(base::Instant at) const { return earliest <= at && at <= latest; }
};

class SlotTable {
 public:
  explicit SlotTable(const model::RetryPolicy& policy) : policy_(policy) {}

  int retries() const;
  base::Duration delay(int n) const;  // f(n)

  // Where a closed circuit gives a delivery up.
  SlotRange last_slot(base::Instant queued_at) const;

  struct Failure {
    base::Instant queued_at;
    base::Instant at;  // when the outcome was known
    uint32_t number = 1;
  };
  // May the attempt after this failure be at `due`? `patience` is the Retry-After, already cut.
  bool allows(const Failure& failure, base::Duration patience, base::Instant due) const;
  // May the delivery be given up after this failure?
  bool allows_drop(const Failure& failure) const;

 private:
  SlotRange slot(base::Instant queued_at, int n) const;
  bool allows_slot(const Failure& failure, base::Instant due) const;
  // The earliest instant at which the next slot can be; never() if there is none.
  base::Instant earliest_next(const Failure& failure) const;
  base::Duration jitter_max(base::Duration gap) const;

  const model::RetryPolicy& policy_;
};

}  // namespace checks
