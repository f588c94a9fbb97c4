#include "core/checkpoint.h"

#include "base/check.h"
#include "core/sections.h"

namespace core {
namespace {

// So that a pass over a million endpoints never keeps an attempt waiting for long.
constexpr size_t kRecordsPerStep = 512;

void schedule(State& state) {
  state.timers.wake_by(State::kCheckpointOwner, state.now + state.options.checkpoint_interval);
}

void complete_pass(State& state) {
  Checkpoint& checkpoint = state.checkpoint;
  checkpoint.is_passing = false;
  if (checkpoint.mark > checkpoint.last_mark) {
    checkpoint.last_mark = checkpoint.mark;
    state.emit(AdvanceLowWater{.sequence = checkpoint.mark});
  }
  if (!checkpoint.dirty.empty() || state.low_water.has_open()) {
    schedule(state);
  }
}

// The pass has written everything; it is over when all that is under way is durable.
void set_barriers(State& state) {
  Checkpoint& checkpoint = state.checkpoint;
  for (uint32_t id = 0; id < base::kShardCount; ++id) {
    const Shard& shard = state.shards[id];
    if (shard.owned && !shard.pending.empty()) {
      checkpoint.barrier[id] = shard.pending.back().number;
      checkpoint.barriers += 1;
    }
  }
  if (checkpoint.barriers == 0) {
    complete_pass(state);
  }
}

}  // namespace

void mark_dirty(State& state, uint32_t index) {
  Endpoint& endpoint = state.endpoints[index];
  if (endpoint.dirty) {
    return;
  }
  endpoint.dirty = true;
  state.checkpoint.dirty.push_back(index);
  if (!state.checkpoint.is_passing) {
    schedule(state);
  }
}

void checkpoint_if_due(State& state) {
  Checkpoint& checkpoint = state.checkpoint;
  if (!checkpoint.is_passing) {
    checkpoint.is_passing = true;
    checkpoint.mark = state.low_water.mark();
    checkpoint.writing.swap(checkpoint.dirty);
  } else if (checkpoint.barriers > 0) {
    return;
  }
  for (size_t i = 0; i < kRecordsPerStep && !checkpoint.writing.empty(); ++i) {
    Endpoint& endpoint = state.endpoints[checkpoint.writing.back()];
    checkpoint.writing.pop_back();
    // The index may belong to nobody, or to another endpoint, if its shard went meanwhile.
    if (endpoint.dirty && endpoint.record.id.is_set()) {
      endpoint.dirty = false;
      write_record(state, endpoint);
    }
  }
  if (checkpoint.writing.empty()) {
    set_barriers(state);
  } else {
    state.timers.wake_by(State::kCheckpointOwner, state.now + base::Duration::ms(1));
  }
}

void pass_barrier(State& state, base::ShardId shard, uint64_t number) {
  const uint64_t barrier = state.checkpoint.barrier[shard];
  if (barrier != 0 && number >= barrier) {
    drop_barrier(state, shard);
  }
}

void drop_barrier(State& state, base::ShardId shard) {
  Checkpoint& checkpoint = state.checkpoint;
  if (checkpoint.barrier[shard] == 0) {
    return;
  }
  checkpoint.barrier[shard] = 0;
  CHECK_GT(checkpoint.barriers, 0U);
  checkpoint.barriers -= 1;
  if (checkpoint.barriers == 0) {
    complete_pass(state);
  }
}

}  // namespace core
