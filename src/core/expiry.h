// Giving up deliveries that a circuit held until their last slot.
//
// The due index cannot show them: it is in the order of due times. So each record has a second key,
// in the order of last slots per shard; one timer per shard walks along it in bounded batches. What
// is not held when its last slot passes is passed over: rate limits, order and ramps delay, but
// never drop.
#pragma once

#include "core/state.h"

namespace core {

// A delivery with this last slot has a record now.
void note_expiry(State& state, const model::Delivery& delivery);
// Its record is gone.
void note_gone_expiry(State& state, const model::Delivery& delivery);

// Some endpoint of the shard holds its deliveries now: look again at what was passed over.
void reconsider_expiry(State& state, base::ShardId shard);

// Begins the walk, or sets the timer for it.
void expire_if_due(State& state, base::ShardId shard);

void expiry_loaded(State& state, const ExpiryLoaded& loaded);

}  // namespace core
