// Ids of what people make: tenants, keys, subscriptions. The time in milliseconds and 20 random
// bits below it: they sort by age, no two are the same, and none is ever used again.
#pragma once

#include <cstdint>

#include "base/scheduler.h"

namespace registry {

class IdMaker {
 public:
  explicit IdMaker(base::Scheduler& scheduler) : scheduler_(scheduler) {}

  uint64_t next();

 private:
  base::Scheduler& scheduler_;
  uint64_t last_ = 0;
};

}  // namespace registry
