#include "core/commands.h"

#include <algorithm>

#include "base/check.h"
#include "core/circuits.h"
#include "core/queueing.h"
#include "core/scheduling.h"
#include "core/sections.h"

namespace core {
namespace {

using model::CircuitState;
using model::Delivery;
using model::EndState;

std::optional<model::Transition> act(const State& state, model::EndpointRecord& record,
                                     EndpointAction action) {
  switch (action) {
    case EndpointAction::kEnable:
      if (record.state != CircuitState::kActive) {
        return enable(record, model::TransitionReason::kEnabledByHand, state.now);
      }
      break;
    case EndpointAction::kPause:
      if (!record.paused) {
        return pause(record, state.now);
      }
      break;
    case EndpointAction::kResume:
      if (record.paused) {
        return resume(record, state.now);
      }
      break;
  }
  return std::nullopt;
}

// Takes a first attempt out of memory; nothing if it is not there.
std::optional<Delivery> take_memory_only(State& state, const Endpoint& endpoint,
                                         base::DeliveryId delivery) {
  if (endpoint.backlog == kNoIndex) {
    return std::nullopt;
  }
  for (Queue& queue : state.backlogs[endpoint.backlog].queues) {
    const auto found =
        std::find_if(queue.memory_only.begin(), queue.memory_only.end(),
                     [&](const MemoryOnly& waiting) { return waiting.delivery.id == delivery; });
    if (found != queue.memory_only.end()) {
      const Delivery taken = found->delivery;
      queue.memory_only.erase(found);
      return taken;
    }
  }
  return std::nullopt;
}

void reply(State& state, CommandId command, CommandResult result) {
  state.emit(CommandDone{.command = command, .result = result});
}

}  // namespace

uint32_t find_attempt(const State& state, const Endpoint& endpoint, base::DeliveryId delivery) {
  uint32_t slot = endpoint.first_attempt;
  while (slot != kNoIndex && state.attempts[slot].delivery.id != delivery) {
    slot = state.attempts[slot].siblings.next;
  }
  return slot;
}

void endpoint_command(State& state, const EndpointCommand& command) {
  const uint32_t index = find_or_add_endpoint(state, command.endpoint, command.tenant);
  if (index == kNoIndex) {
    reply(state, command.command, CommandResult::kNotOwner);
    return;
  }
  Endpoint& endpoint = state.endpoints[index];
  const bool lets_out_before = endpoint.record.lets_out();
  const auto transition = act(state, endpoint.record, command.action);
  if (!transition) {
    reply(state, command.command, CommandResult::kUnchanged);
    return;
  }
  circuit_changed(state, index, *transition,
                  {.lets_out_before = lets_out_before, .is_silent = false});
  write_record(state, endpoint);
  when_durable(state, endpoint.record.id.shard(), CommandDurable{.command = command.command});
  refresh(state, index);
}

void cancel_delivery(State& state, const CancelDelivery& command) {
  const uint32_t index = state.endpoint_index.find(command.endpoint.value);
  if (!state.shards[command.endpoint.shard()].owned) {
    reply(state, command.command, CommandResult::kNotOwner);
    return;
  }
  if (index == kNoIndex || state.pending_cancels.contains(command.delivery)) {
    reply(state, command.command, CommandResult::kTooLate);
    return;
  }
  Endpoint& endpoint = state.endpoints[index];
  if (const uint32_t slot = find_attempt(state, endpoint, command.delivery); slot != kNoIndex) {
    AttemptSlot& attempt = state.attempts[slot];
    const bool is_open =
        attempt.phase != AttemptPhase::kCommitting && attempt.cancel == CommandId::kNone;
    if (is_open) {
      attempt.cancel = command.command;
    } else if (attempt.phase == AttemptPhase::kCommitting && !attempt.ended) {
      state.pending_cancels[command.delivery] = {command.command, command.endpoint};
    } else {
      reply(state, command.command, CommandResult::kTooLate);
    }
    return;
  }
  if (const auto waiting = take_memory_only(state, endpoint, command.delivery)) {
    end_unstarted(state, endpoint, *waiting, {EndState::kCancelled, command.command});
    refresh(state, index);
    return;
  }
  if (state.pending_cancels.size() >= state.options.lanes.cancels_max) {
    reply(state, command.command, CommandResult::kBusy);
    return;
  }
  // It waits on disk, or a record of it is under way. Until it is found it cannot start: whoever
  // comes across it asks cancel_if_wanted().
  state.pending_cancels[command.delivery] = {command.command, command.endpoint};
  state.emit(LoadDelivery{.delivery = command.delivery, .endpoint = command.endpoint});
}

void delivery_loaded(State& state, const DeliveryLoaded& loaded) {
  const auto pending = state.pending_cancels.find(loaded.delivery);
  Endpoint* const endpoint = state.find(loaded.endpoint);
  if (pending == state.pending_cancels.end() || endpoint == nullptr) {
    return;
  }
  if (!loaded.unfinished) {
    reply(state, pending->second.command, CommandResult::kTooLate);
    state.pending_cancels.erase(pending);
    return;
  }
  // A record that is under way meets cancel_if_wanted() when it is durable.
  const bool is_settled =
      loaded.unfinished->recorded && !is_busy(state, *endpoint, loaded.delivery);
  if (is_settled) {
    cancel_if_wanted(state, *endpoint, *loaded.unfinished);
    refresh(state, state.endpoint_index.find(loaded.endpoint.value));
  }
}

bool cancel_if_wanted(State& state, Endpoint& endpoint, const Delivery& delivery) {
  if (state.pending_cancels.empty()) {
    return false;
  }
  const auto pending = state.pending_cancels.find(delivery.id);
  if (pending == state.pending_cancels.end()) {
    return false;
  }
  const CommandId command = pending->second.command;
  state.pending_cancels.erase(pending);
  end_unstarted(state, endpoint, delivery, {EndState::kCancelled, command});
  return true;
}

void end_unstarted(State& state, Endpoint& endpoint, const Delivery& delivery, Ending ending) {
  model::EndpointRecord& record = endpoint.record;
  const base::ShardId shard = record.id.shard();
  model::DeliveryChange change{.delivery = delivery.id,
                               .attempt = {},
                               .removed = {},
                               .placed = {},
                               .end = ending.end,
                               .owner = owner_of(delivery)};
  if (delivery.recorded) {
    change.removed = delivery;
    Queue* const queue = backlog_of(state, endpoint).find(delivery.queue);
    if (queue != nullptr) {
      queue->window_of(delivery, record.released_at, record.lets_out()).remove(delivery.key());
    }
  }
  record.unfinished -= 1;
  endpoint.ending += 1;
  state.leaving.insert(delivery.id.value, 0);
  open_section(state, shard).section.deliveries.push_back(change);
  when_durable(state, shard, EndDurable{.delivery = delivery, .command = ending.command});
  write_record(state, endpoint);
  if (ending.end == EndState::kDropped) {
    publish_dropped(state, delivery);
  }
}

void end_durable(State& state, const Delivery& delivery, CommandId command) {
  const uint32_t index = state.endpoint_index.find(delivery.endpoint.value);
  CHECK(index != kNoIndex);
  Endpoint& endpoint = state.endpoints[index];
  state.leaving.erase(delivery.id.value);
  endpoint.ending -= 1;
  if (delivery.recorded) {
    gone_from_window(state, endpoint, delivery);
  } else {
    state.low_water.close(delivery.id.sequence());
  }
  if (command != CommandId::kNone) {
    reply(state, command, CommandResult::kDone);
  }
  // Somebody asked to cancel what was being dropped.
  if (const auto late = state.pending_cancels.find(delivery.id);
      late != state.pending_cancels.end()) {
    reply(state, late->second.command, CommandResult::kTooLate);
    state.pending_cancels.erase(late);
  }
  refresh(state, index);
}

}  // namespace core
