#include "tests/sim/checks/memory_check.h"

#include <fmt/format.h>

namespace checks {

void MemoryCheck::bound(base::Instant at, const char* what, uint64_t count, uint64_t most) {
  if (count > most) {
    report_.add("memory-bound", at, fmt::format("{} {}, at most {}", count, what, most));
  }
}

void MemoryCheck::queued(base::Instant at, const Queued& queued) {
  for (const model::Delivery& delivery : queued.deliveries) {
    if (!delivery.recorded && ledger_.works(delivery.endpoint.shard())) {
      in_memory_[delivery.endpoint].emplace(delivery.id, at);
    }
  }
}

void MemoryCheck::settle(base::EndpointId endpoint, base::DeliveryId delivery) {
  const auto found = in_memory_.find(endpoint);
  if (found != in_memory_.end()) {
    found->second.erase(delivery);
  }
}

void MemoryCheck::started(base::Instant /*at*/, const AttemptStarted& started) {
  settle(started.delivery.endpoint, started.delivery.id);
}

void MemoryCheck::submitted(base::Instant /*at*/, const model::Section& section) {
  for (const model::DeliveryChange& change : section.deliveries) {
    if (const DeliveryTrack* const track = ledger_.delivery(change.delivery)) {
      settle(track->queued.endpoint, change.delivery);
    }
  }
}

// An endpoint whose places are all taken is only heard of when an attempt ends.
void MemoryCheck::ended(base::Instant at, const AttemptEnded& ended) {
  const auto found = in_memory_.find(ended.endpoint);
  if (found == in_memory_.end() || found->second.empty()) {
    return;
  }
  const auto& [delivery, since] = *found->second.begin();
  if (at - since > settings().memory_only_time) {
    report_.add("memory-time", at,
                fmt::format("first attempt {:x} waited {} ms without a record", delivery.value,
                            (at - since).count_ms()));
  }
}

// Recovery begins anew.
void MemoryCheck::crashed(base::Instant /*at*/) { in_memory_.clear(); }

void MemoryCheck::shard_lost(base::Instant /*at*/, base::ShardId shard) {
  std::erase_if(in_memory_, [&](const auto& entry) { return entry.first.shard() == shard; });
}

void MemoryCheck::counts(base::Instant at, const Counts& counts) {
  bound(at, "first attempts without a record at one endpoint", counts.memory_only_max,
        settings().memory_only_max);
  bound(at, "due deliveries in one window", counts.window_size_max, settings().window_max);
  bound(at, "due deliveries in the window of a closed circuit", counts.held_window_max, 1);
  bound(at, "attempts in memory", counts.attempts_in_memory, settings().in_flight_max);
}

}  // namespace checks
