// Whose turn it is, and when to look again.
//
// refresh() is the one place that derives from an endpoint's state whether it waits for a turn,
// which pages it needs and when its timer rings; it is called after everything that may change the
// answer. So there is no wake-up to forget.
#pragma once

#include "core/state.h"

namespace core {

void refresh(State& state, uint32_t endpoint);

// Starts everything that may start.
void pump(State& state);

// How many due deliveries per window this endpoint may have in memory.
uint32_t window_capacity(const State& state, const Endpoint& endpoint);

// The retry lane's share of the endpoint's attempts in flight; also where its ramp ends.
uint32_t retry_share(const State& state);

// In flight, or about to end: not to be taken from the due index.
bool is_busy(const State& state, const Endpoint& endpoint, base::DeliveryId delivery);

void due_loaded(State& state, const DueLoaded& loaded);

}  // namespace core
