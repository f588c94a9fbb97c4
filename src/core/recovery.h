// Shards come and go: at the start of the process, and in a cluster whenever leases move.
#pragma once

#include "core/state.h"

namespace core {

void shard_acquired(State& state, const model::ShardSnapshot& snapshot);

// Forgets everything of the shard. What was in memory only is found again by its next owner.
void shard_released(State& state, base::ShardId shard);

}  // namespace core
