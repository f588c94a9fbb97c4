// Counters without a record of their own per success, and the low-water mark.
//
// A first attempt that succeeds writes one record, its outcome. Its endpoint's counters follow
// within seconds, in a checkpoint; recovery counts again the outcomes that the last checkpoint
// lacks. The low-water mark says from where on it must look for them, so the mark moves only after
// a pass over all endpoints that had changed.
#pragma once

#include "core/state.h"

namespace core {

void mark_dirty(State& state, uint32_t endpoint);

// Begins a pass, or goes on with the one under way.
void checkpoint_if_due(State& state);

// This section is durable; a pass may have waited for it.
void pass_barrier(State& state, base::ShardId shard, uint64_t number);

// The shard is not ours any more: nothing of it is waited for.
void drop_barrier(State& state, base::ShardId shard);

}  // namespace core
