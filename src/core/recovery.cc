#include "core/recovery.h"

#include <algorithm>

#include "base/check.h"
#include "core/attempts.h"
#include "core/checkpoint.h"
#include "core/expiry.h"
#include "core/queueing.h"
#include "core/scheduling.h"

namespace core {
namespace {

using model::DueKey;
using model::TailDelivery;

// Sets up a queue of which only the beginning is known.
void restore_queue(const model::EndpointRecord& record, Queue& queue,
                   const model::QueueHead& head) {
  if (head.retry_due) {
    queue.retry.reset_unknown(DueKey{.due = *head.retry_due, .delivery = {}});
  }
  if (!head.first_due) {
    return;
  }
  const DueKey first{.due = *head.first_due, .delivery = {}};
  if (!record.lets_out()) {
    queue.drain.reset_unknown(first);
    return;
  }
  if (first.due < record.released_at) {
    queue.drain.reset_unknown(first);
  }
  queue.fresh.reset_unknown(DueKey{.due = std::max(first.due, record.released_at), .delivery = {}});
}

void restore_endpoint(State& state, const model::EndpointSnapshot& snapshot) {
  const uint32_t index = find_or_add_endpoint(state, snapshot.record.id, snapshot.record.tenant);
  Endpoint& endpoint = state.endpoints[index];
  endpoint.record = snapshot.record;
  for (const model::QueueHead& head : snapshot.queues) {
    Queue& queue = backlog_of(state, endpoint).find_or_add(head.queue);
    restore_queue(endpoint.record, queue, head);
  }
}

// Counts again the successes that the endpoints' records lack: those with a higher ordinal.
void count_missing_successes(State& state, const std::vector<TailDelivery>& tail) {
  std::vector<const model::Attempt*> missing;
  for (const TailDelivery& entry : tail) {
    if (entry.success &&
        entry.success->ordinal > state.find(entry.delivery.endpoint)->record.attempts()) {
      missing.push_back(&*entry.success);
    }
  }
  std::stable_sort(missing.begin(), missing.end(),
                   [](const model::Attempt* left, const model::Attempt* right) {
                     return left->ordinal < right->ordinal;
                   });
  for (const model::Attempt* const attempt : missing) {
    const uint32_t index = state.endpoint_index.find(attempt->endpoint.value);
    Endpoint& endpoint = state.endpoints[index];
    // Or the next checkpoint would lack it again, and raise the mark past it.
    mark_dirty(state, index);
    if (!endpoint.record.first_attempt_at.is_set()) {
      endpoint.record.first_attempt_at = attempt->started_at;
    }
    count_success(endpoint.record, attempt->counting, attempt->finished_at);
    CHECK_GT(endpoint.record.unfinished, 0U);
    endpoint.record.unfinished -= 1;
  }
}

void restore_tail(State& state, const std::vector<TailDelivery>& tail) {
  for (const TailDelivery& entry : tail) {
    const model::Delivery& delivery = entry.delivery;
    const uint32_t index = find_or_add_endpoint(state, delivery.endpoint, delivery.tenant);
    model::EndpointRecord& record = state.endpoints[index].record;
    if (record.last_queued < delivery.id) {
      record.last_queued = delivery.id;
      record.unfinished += 1;
      mark_dirty(state, index);
    }
  }
  count_missing_successes(state, tail);
  for (const TailDelivery& entry : tail) {
    const base::Sequence sequence = entry.delivery.id.sequence();
    if (entry.unfinished && !entry.delivery.recorded) {
      state.low_water.open(sequence);
      queue_memory_only(state, state.endpoint_index.find(entry.delivery.endpoint.value),
                        entry.delivery);
    } else {
      state.low_water.see(sequence);
    }
  }
}

void forget_backlog(State& state, Shard& shard, Endpoint& endpoint) {
  if (endpoint.backlog == kNoIndex) {
    return;
  }
  for (Queue& queue : state.backlogs[endpoint.backlog].queues) {
    for (const MemoryOnly& waiting : queue.memory_only) {
      shard.parked.push_back(waiting.delivery.id.sequence());
    }
  }
  drop_backlog(state, endpoint);
}

void forget_endpoint(State& state, Shard& shard, uint32_t index) {
  Endpoint& endpoint = state.endpoints[index];
  while (endpoint.first_attempt != kNoIndex) {
    const uint32_t slot = endpoint.first_attempt;
    endpoint.first_attempt = state.attempts[slot].siblings.next;
    abandon(state, slot);
  }
  state.turns.set(index, model::Lane::kFresh, TurnClass::kNone);
  state.turns.set(index, model::Lane::kRetry, TurnClass::kNone);
  state.turns.leave(endpoint.tenant);
  state.timers.cancel(State::kFirstEndpointOwner + index);
  forget_backlog(state, shard, endpoint);
  state.census.forget(endpoint);
  state.endpoint_index.erase(endpoint.record.id.value);
  endpoint = Endpoint{};
  state.endpoints.release(index);
}

// What waited for sections that will never be reported to us.
void forget_completions(State& state, Shard& shard) {
  for (const Completion& completion : shard.completions) {
    CommandId command = CommandId::kNone;
    if (const auto* record = std::get_if<RecordDurable>(&completion)) {
      shard.parked.push_back(record->delivery.id.sequence());
    } else if (const auto* end = std::get_if<EndDurable>(&completion)) {
      state.leaving.erase(end->delivery.id.value);
      command = end->command;
      if (!end->delivery.recorded) {
        shard.parked.push_back(end->delivery.id.sequence());
      }
    } else if (const auto* move = std::get_if<MoveDurable>(&completion)) {
      state.leaving.erase(move->to.id.value);
    } else if (const auto* asked = std::get_if<CommandDurable>(&completion)) {
      command = asked->command;
    }
    if (command != CommandId::kNone) {
      state.emit(CommandDone{.command = command, .result = CommandResult::kNotOwner});
    }
  }
}

void forget_pending_cancels(State& state, base::ShardId shard) {
  for (auto at = state.pending_cancels.begin(); at != state.pending_cancels.end();) {
    if (at->second.endpoint.shard() == shard) {
      state.emit(CommandDone{.command = at->second.command, .result = CommandResult::kNotOwner});
      at = state.pending_cancels.erase(at);
    } else {
      ++at;
    }
  }
}

}  // namespace

void shard_acquired(State& state, const model::ShardSnapshot& snapshot) {
  Shard& shard = state.shards[snapshot.shard];
  CHECK(!shard.owned);
  // They are part of the snapshot's tail.
  for (const base::Sequence sequence : shard.parked) {
    state.low_water.close(sequence);
  }
  shard = Shard{};
  state.checkpoint.last_mark = std::max(state.checkpoint.last_mark, snapshot.low_water);
  shard.owned = true;
  shard.epoch = snapshot.epoch;
  shard.acquired_at = state.now;
  shard.expiry_from = {.last_slot = state.now, .delivery = {}};
  shard.next_expiry = std::max(snapshot.next_expiry, state.now);
  for (const model::EndpointSnapshot& endpoint : snapshot.endpoints) {
    restore_endpoint(state, endpoint);
  }
  restore_tail(state, snapshot.tail);
  for (const uint32_t index : shard.endpoints) {
    refresh(state, index);
  }
  expire_if_due(state, snapshot.shard);
}

void shard_released(State& state, base::ShardId id) {
  Shard& shard = state.shards[id];
  if (!shard.owned) {
    return;
  }
  forget_completions(state, shard);
  forget_pending_cancels(state, id);
  // Successes since the last checkpoint are not in the endpoints' records: the mark must stay.
  state.checkpoint.mark = state.checkpoint.last_mark;
  park(state, id, state.checkpoint.last_mark);
  for (const uint32_t index : shard.endpoints) {
    forget_endpoint(state, shard, index);
  }
  std::vector<base::Sequence> parked = std::move(shard.parked);
  shard = Shard{};
  shard.parked = std::move(parked);
  state.timers.cancel(id);
  drop_barrier(state, id);
}

}  // namespace core
