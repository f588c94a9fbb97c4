#include "core/expiry.h"

#include <algorithm>

#include "base/check.h"
#include "core/commands.h"
#include "core/scheduling.h"

namespace core {
namespace {

using model::Delivery;
using model::ExpiryKey;

ExpiryKey key_of(const Delivery& delivery) {
  return {.last_slot = delivery.last_slot, .delivery = delivery.id};
}

// Last slots that passed before we ran the shard wait for the grace to end, so that a probe comes
// first.
bool waits_for_grace(const Shard& shard, const Delivery& delivery) {
  return !shard.grace_is_over && delivery.last_slot < shard.acquired_at;
}

void look_from(State& state, base::ShardId id, ExpiryKey key) {
  Shard& shard = state.shards[id];
  shard.expiry_from = std::min(shard.expiry_from, key);
  shard.next_expiry = std::min(shard.next_expiry, key.last_slot);
  shard.expiry_is_stale = true;
  state.timers.wake_by(id, std::max(shard.next_expiry, state.now));
}

void give_up(State& state, Shard& shard, const Delivery& delivery) {
  Endpoint* const endpoint = state.find(delivery.endpoint);
  CHECK(endpoint != nullptr);
  if (is_busy(state, *endpoint, delivery.id)) {
    return;
  }
  if (endpoint->record.lets_out()) {
    // A walk may begin again further back than the one before.
    const ExpiryKey key = key_of(delivery);
    shard.expiry_skipped = shard.expiry_skipped ? std::min(*shard.expiry_skipped, key) : key;
    return;
  }
  end_unstarted(state, *endpoint, delivery, {model::EndState::kDropped, CommandId::kNone});
}

}  // namespace

void note_expiry(State& state, const Delivery& delivery) {
  const base::ShardId id = delivery.endpoint.shard();
  Shard& shard = state.shards[id];
  if (waits_for_grace(shard, delivery)) {
    return;
  }
  const bool is_beside_walk = shard.expiry_load != LoadId::kNone &&
                              delivery.last_slot > shard.expiry_until &&
                              key_of(delivery) >= shard.expiry_from;
  if (is_beside_walk) {
    shard.next_expiry = std::min(shard.next_expiry, delivery.last_slot);
    state.timers.wake_by(id, delivery.last_slot);
  } else {
    look_from(state, id, key_of(delivery));
  }
}

void note_gone_expiry(State& state, const Delivery& delivery) {
  Shard& shard = state.shards[delivery.endpoint.shard()];
  if (shard.expiry_load != LoadId::kNone && delivery.last_slot <= shard.expiry_until) {
    shard.expiry_is_stale = true;
  }
}

void reconsider_expiry(State& state, base::ShardId id) {
  Shard& shard = state.shards[id];
  if (shard.expiry_skipped) {
    const ExpiryKey skipped = *shard.expiry_skipped;
    shard.expiry_skipped.reset();
    look_from(state, id, skipped);
  }
}

void expire_if_due(State& state, base::ShardId id) {
  Shard& shard = state.shards[id];
  if (!shard.owned) {
    return;
  }
  const base::Instant grace_end = shard.acquired_at + state.options.restart_grace;
  if (!shard.grace_is_over) {
    if (state.now >= grace_end) {
      shard.grace_is_over = true;
      look_from(state, id, {});
    } else {
      state.timers.wake_by(id, grace_end);
    }
  }
  if (shard.expiry_load != LoadId::kNone || shard.next_expiry == base::Instant::never()) {
    return;
  }
  if (shard.next_expiry > state.now) {
    state.timers.wake_by(id, shard.next_expiry);
    return;
  }
  shard.expiry_load = state.new_load();
  shard.expiry_until = state.now;
  shard.expiry_is_stale = false;
  shard.next_expiry = base::Instant::never();
  state.emit(LoadExpired{.load = shard.expiry_load,
                         .query = {.shard = id,
                                   .from = shard.expiry_from,
                                   .until = shard.expiry_until,
                                   .limit = state.options.lanes.expiry_batch}});
}

void expiry_loaded(State& state, const ExpiryLoaded& loaded) {
  Shard& shard = state.shards[loaded.shard];
  if (!shard.owned || shard.expiry_load != loaded.load) {
    return;
  }
  shard.expiry_load = LoadId::kNone;
  if (shard.expiry_is_stale) {
    shard.next_expiry = std::min(shard.next_expiry, shard.expiry_from.last_slot);
    expire_if_due(state, loaded.shard);
    return;
  }
  shard.next_expiry = std::min(shard.next_expiry, loaded.page.next);
  if (!loaded.page.deliveries.empty()) {
    const ExpiryKey last = key_of(loaded.page.deliveries.back());
    shard.expiry_from = {.last_slot = last.last_slot, .delivery = {last.delivery.value + 1}};
  }
  for (const Delivery& delivery : loaded.page.deliveries) {
    give_up(state, shard, delivery);
  }
  expire_if_due(state, loaded.shard);
}

}  // namespace core
