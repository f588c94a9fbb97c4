#include "core/queueing.h"

#include <algorithm>

#include "base/check.h"
#include "core/checkpoint.h"
#include "core/commands.h"
#include "core/expiry.h"
#include "core/scheduling.h"
#include "core/sections.h"

namespace core {

using model::Delivery;

uint32_t find_or_add_endpoint(State& state, base::EndpointId id, base::TenantId tenant) {
  uint32_t index = state.endpoint_index.find(id.value);
  Shard& shard = state.shards[id.shard()];
  if (index != kNoIndex || !shard.owned) {
    return index;
  }
  index = state.endpoints.allocate();
  Endpoint& endpoint = state.endpoints[index];
  endpoint = Endpoint{};
  endpoint.record.id = id;
  endpoint.record.tenant = tenant;
  endpoint.tenant = state.turns.join(tenant);
  endpoint.shard_position = static_cast<uint32_t>(shard.endpoints.size());
  shard.endpoints.push_back(index);
  state.endpoint_index.insert(id.value, index);
  state.census.count(endpoint);
  return index;
}

Backlog& backlog_of(State& state, Endpoint& endpoint) {
  if (endpoint.backlog == kNoIndex) {
    endpoint.backlog = state.backlogs.allocate();
    state.backlogs[endpoint.backlog].reset(endpoint);
  }
  return state.backlogs[endpoint.backlog];
}

void drop_backlog(State& state, Endpoint& endpoint) {
  state.backlogs[endpoint.backlog].owner = nullptr;
  state.backlogs.release(endpoint.backlog);
  endpoint.backlog = kNoIndex;
}

void park(State& state, base::ShardId shard, base::Sequence sequence) {
  state.low_water.open(sequence);
  state.shards[shard].parked.push_back(sequence);
}

void deliveries_queued(State& state, const std::vector<Delivery>& deliveries) {
  for (const Delivery& delivery : deliveries) {
    const uint32_t index = find_or_add_endpoint(state, delivery.endpoint, delivery.tenant);
    if (index == kNoIndex) {
      park(state, delivery.endpoint.shard(), delivery.id.sequence());
      continue;
    }
    Endpoint& endpoint = state.endpoints[index];
    CHECK(endpoint.record.last_queued < delivery.id);
    endpoint.record.last_queued = delivery.id;
    endpoint.record.unfinished += 1;
    mark_dirty(state, index);
    if (delivery.recorded) {
      state.low_water.see(delivery.id.sequence());
      if (!delivery.blocked) {
        add_to_window(state, endpoint, delivery);
      }
      note_expiry(state, delivery);
    } else {
      CHECK(!delivery.blocked);
      state.low_water.open(delivery.id.sequence());
      queue_memory_only(state, index, delivery);
    }
    refresh(state, index);
  }
}

void queue_memory_only(State& state, uint32_t index, const Delivery& delivery) {
  Endpoint& endpoint = state.endpoints[index];
  Backlog& backlog = backlog_of(state, endpoint);
  Queue& queue = backlog.find_or_add(delivery.queue);
  // Memory is for the fresh lane. What was queued before the last release drains, and may come only
  // now: its publish was answered late, its attempt could not start, or this is a restart.
  const bool drains = delivery.queued_at < endpoint.record.released_at;
  const bool must_spill = !endpoint.record.lets_out() || drains || queue.has_spilled() ||
                          backlog.memory_only() >= state.options.lanes.memory_only_max;
  // Almost always the last; one that is given back goes to where it was.
  const auto at = std::upper_bound(
      queue.memory_only.begin(), queue.memory_only.end(), delivery.key(),
      [](const model::DueKey& key, const MemoryOnly& other) { return key < other.delivery.key(); });
  // It then counts as no younger than who is behind it, so that the first is always the oldest.
  const base::Instant arrived = at == queue.memory_only.end() ? state.now : at->arrived;
  queue.memory_only.insert(at, {.delivery = delivery, .arrived = arrived});
  if (must_spill) {
    spill(state, endpoint, queue);
  }
}

void spill(State& state, Endpoint& endpoint, Queue& queue) {
  if (queue.memory_only.empty()) {
    return;
  }
  const base::ShardId shard = endpoint.record.id.shard();
  Commit& commit = open_section(state, shard);
  for (MemoryOnly& waiting : queue.memory_only) {
    Delivery& delivery = waiting.delivery;
    delivery.recorded = true;
    delivery.due = delivery.queued_at;
    delivery.range = model::DueRange::kFirst;
    commit.section.deliveries.push_back({.delivery = delivery.id,
                                         .attempt = {},
                                         .removed = {},
                                         .placed = delivery,
                                         .end = {},
                                         .owner = owner_of(delivery)});
    when_durable(state, shard, RecordDurable{.delivery = delivery});
    queue.spilling += 1;
  }
  queue.memory_only.clear();
}

void record_durable(State& state, const Delivery& delivery) {
  const uint32_t index = state.endpoint_index.find(delivery.endpoint.value);
  CHECK(index != kNoIndex);
  Endpoint& endpoint = state.endpoints[index];
  Queue& queue = backlog_of(state, endpoint).find_or_add(delivery.queue);
  CHECK_GT(queue.spilling, 0U);
  queue.spilling -= 1;
  state.low_water.close(delivery.id.sequence());
  if (!cancel_if_wanted(state, endpoint, delivery)) {
    add_to_window(state, endpoint, delivery);
    note_expiry(state, delivery);
  }
  refresh(state, index);
}

void promoted(State& state, const Delivery& delivery) {
  CHECK(delivery.recorded && !delivery.blocked);
  const uint32_t index = state.endpoint_index.find(delivery.endpoint.value);
  CHECK(index != kNoIndex);
  Endpoint& endpoint = state.endpoints[index];
  // It may be on its way out already: a blocked delivery can be given up or cancelled, too.
  const bool is_ending = state.leaving.contains(delivery.id.value);
  if (!is_ending && !cancel_if_wanted(state, endpoint, delivery)) {
    add_to_window(state, endpoint, delivery);
  }
  refresh(state, index);
}

void move_durable(State& state, const Delivery& from, const Delivery& to) {
  const uint32_t index = state.endpoint_index.find(to.endpoint.value);
  CHECK(index != kNoIndex);
  Endpoint& endpoint = state.endpoints[index];
  state.leaving.erase(to.id.value);
  gone_from_window(state, endpoint, from);
  if (!cancel_if_wanted(state, endpoint, to)) {
    add_to_window(state, endpoint, to);
  }
  refresh(state, index);
}

void add_to_window(State& state, Endpoint& endpoint, const Delivery& delivery) {
  const model::EndpointRecord& record = endpoint.record;
  Queue& queue = backlog_of(state, endpoint).find_or_add(delivery.queue);
  DueWindow& window = queue.window_of(delivery, record.released_at, record.lets_out());
  window.add(delivery, window_capacity(state, endpoint));
}

void gone_from_window(State& state, Endpoint& endpoint, const Delivery& delivery) {
  Queue* const queue = backlog_of(state, endpoint).find(delivery.queue);
  if (queue != nullptr) {
    const model::EndpointRecord& record = endpoint.record;
    queue->window_of(delivery, record.released_at, record.lets_out()).gone(delivery.key());
  }
  note_gone_expiry(state, delivery);
}

}  // namespace core
