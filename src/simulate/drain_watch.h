// Finds out how long drains take: counts what is due when an endpoint is let out, then watches
// those records go.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/time.h"
#include "model/delivery.h"
#include "model/endpoint.h"
#include "sim/sim_store.h"
#include "simulate/result.h"

namespace simulate {

class DrainWatch {
 public:
  // Appends to `drains`.
  DrainWatch(const sim::SimStore& store, std::vector<Drain>& drains)
      : store_(store), drains_(drains) {}

  // Both are called before the change reaches the tables of the store.
  void circuit_changed(uint32_t endpoint, const model::Transition& transition, base::Duration now);
  void record_removed(uint32_t endpoint, const model::Delivery& record, base::Duration now);

 private:
  struct Open {
    size_t drain;  // in drains_
    base::Instant released_at;
  };

  const sim::SimStore& store_;
  std::vector<Drain>& drains_;
  std::map<uint32_t, Open> open_;
};

}  // namespace simulate
