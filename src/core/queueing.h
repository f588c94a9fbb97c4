// New deliveries, and where they wait: first attempts in memory for a moment, everything else by a
// record in the due index.
#pragma once

#include "core/state.h"

namespace core {

// The endpoint's state in memory; makes it if this is its first delivery. kNoIndex if its shard is
// not ours.
uint32_t find_or_add_endpoint(State& state, base::EndpointId id, base::TenantId tenant);

Backlog& backlog_of(State& state, Endpoint& endpoint);
// Of an endpoint that has one.
void drop_backlog(State& state, Endpoint& endpoint);

// The next owner of this shard, perhaps ourselves, must look for this sequence at least.
void park(State& state, base::ShardId shard, base::Sequence sequence);

void deliveries_queued(State& state, const std::vector<model::Delivery>& deliveries);

// A first attempt that has no record; finds its place in memory, or gets a record if it must not
// wait in memory.
void queue_memory_only(State& state, uint32_t endpoint, const model::Delivery& delivery);

// Gives records to all first attempts of the queue that have none.
void spill(State& state, Endpoint& endpoint, Queue& queue);

// A delivery has a record now, and may be taken from the due index.
void record_durable(State& state, const model::Delivery& delivery);
// An ordered delivery that others blocked is first in line now.
void promoted(State& state, const model::Delivery& delivery);
void move_durable(State& state, const model::Delivery& from, const model::Delivery& to);

// Puts a delivery whose record is durable into its window.
void add_to_window(State& state, Endpoint& endpoint, const model::Delivery& delivery);

// The record of this delivery is gone for good.
void gone_from_window(State& state, Endpoint& endpoint, const model::Delivery& delivery);

}  // namespace core
