#include "simulate/drain_watch.h"

namespace simulate {
namespace {

using base::Duration;
using base::Instant;

uint64_t count_due(const sim::Tables& tables, base::EndpointId endpoint, model::DueRange range,
                   Instant at) {
  constexpr uint32_t kPage = 4096;
  model::DueQuery query{.endpoint = endpoint,
                        .queue = model::kSharedQueue,
                        .range = range,
                        .from = {},
                        .until = at + Duration::ms(1),
                        .limit = kPage};
  uint64_t count = 0;
  while (true) {
    const model::DuePage page = tables.due(query);
    count += page.deliveries.size();
    if (page.complete) {
      return count;
    }
    query.from = page.deliveries.back().key();
    query.from.delivery.value += 1;
  }
}

}  // namespace

void DrainWatch::circuit_changed(uint32_t endpoint, const model::Transition& transition,
                                 Duration now) {
  if (transition.from == transition.to) {
    return;
  }
  open_.erase(endpoint);
  if (transition.to != model::CircuitState::kActive) {
    return;
  }
  const sim::Tables& tables = store_.tables();
  const uint64_t due =
      count_due(tables, transition.endpoint, model::DueRange::kFirst, transition.at) +
      count_due(tables, transition.endpoint, model::DueRange::kRetry, transition.at);
  if (due > 0) {
    open_[endpoint] = {.drain = drains_.size(), .released_at = transition.at};
    drains_.push_back({.endpoint = endpoint, .started = now, .deliveries = due, .left = due});
  }
}

void DrainWatch::record_removed(uint32_t endpoint, const model::Delivery& record, Duration now) {
  const auto open = open_.find(endpoint);
  if (open == open_.end() || record.due > open->second.released_at) {
    return;
  }
  Drain& drain = drains_[open->second.drain];
  drain.left -= 1;
  if (drain.left == 0) {
    drain.ended = now;
    open_.erase(open);
  }
}

}  // namespace simulate
