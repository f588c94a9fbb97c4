// The life of an attempt: it takes a delivery out of its queue, occupies a place until its outcome
// is durable, and puts the delivery back, for its next slot or not at all.
#pragma once

#include "core/picking.h"
#include "core/state.h"

namespace core {

struct StartKind {
  model::Lane lane = model::Lane::kFresh;
  bool is_probe = false;
};

// Takes the picked delivery out of its queue and starts it, unless it must not be sent any more.
void start_picked(State& state, uint32_t endpoint, const Pick& pick, StartKind kind);

void attempt_finished(State& state, AttemptToken token, const model::Outcome& outcome);

// The outcome is durable: the place is free, the next attempt may come.
void attempt_durable(State& state, uint32_t slot);

// Starts again what a reason of our own kept from starting, if the time has come.
void restart_postponed(State& state);

// Forgets the attempt: its shard is not ours any more.
void abandon(State& state, uint32_t slot);

}  // namespace core
