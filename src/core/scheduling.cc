#include "core/scheduling.h"

#include <algorithm>

#include "base/check.h"
#include "core/attempts.h"
#include "core/picking.h"
#include "core/queueing.h"

namespace core {
namespace {

using base::Instant;
using model::CircuitState;
using model::Lane;

bool may_probe(const State& state, const Endpoint& endpoint) {
  const model::EndpointRecord& record = endpoint.record;
  return record.state == CircuitState::kDisabled && !record.paused && !endpoint.probe_in_flight &&
         record.probe_from <= state.now && record.not_before <= state.now;
}

void ask_for(State& state, const Endpoint& endpoint, model::DueQuery query, DueWindow& window) {
  if (!window.wants_load(state.now, query.limit)) {
    return;
  }
  const LoadId load = state.new_load();
  query.endpoint = endpoint.record.id;
  query.from = window.begin_load(load);
  state.emit(LoadDue{.load = load, .query = query});
}

// Asks for the pages that the next picks need.
void ask_for_pages(State& state, const Endpoint& endpoint, Backlog& backlog) {
  const model::EndpointRecord& record = endpoint.record;
  const uint32_t limit = window_capacity(state, endpoint);
  for (Queue& queue : backlog.queues) {
    model::DueQuery query{.endpoint = {},
                          .queue = queue.id,
                          .range = model::DueRange::kRetry,
                          .from = {},
                          .until = Instant::never(),
                          .limit = limit};
    ask_for(state, endpoint, query, queue.retry);
    query.range = model::DueRange::kFirst;
    if (record.lets_out()) {
      ask_for(state, endpoint, query, queue.fresh);
      query.until = record.released_at;
    }
    ask_for(state, endpoint, query, queue.drain);
  }
}

// First attempts must not wait in memory for long, nor must many of them.
Instant spill_overdue(State& state, Endpoint& endpoint, Backlog& backlog) {
  Instant next = Instant::never();
  for (Queue& queue : backlog.queues) {
    if (queue.memory_only.empty()) {
      continue;
    }
    const Instant limit = queue.memory_only.front().arrived + state.options.lanes.memory_only_time;
    if (limit <= state.now) {
      spill(state, endpoint, queue);
    } else {
      next = std::min(next, limit);
    }
  }
  return next;
}

TurnClass fresh_class(const State& state, const Endpoint& endpoint, const Backlog& backlog) {
  if (endpoint.in_flight >= state.options.lanes.endpoint_in_flight_max ||
      !pick_fresh(state, endpoint, backlog)) {
    return TurnClass::kNone;
  }
  return endpoint.is_suspect() ? TurnClass::kFreshSuspect : TurnClass::kFreshHealthy;
}

TurnClass retry_class(const State& state, const Endpoint& endpoint, const Backlog& backlog) {
  if (may_probe(state, endpoint)) {
    return pick_probe(state, backlog) ? TurnClass::kRetry : TurnClass::kNone;
  }
  const bool has_room = endpoint.in_flight < state.options.lanes.endpoint_in_flight_max &&
                        endpoint.retry_in_flight < retry_share(state);
  return has_room && pick_retry(state, endpoint, backlog) ? TurnClass::kRetry : TurnClass::kNone;
}

void set_turns(State& state, uint32_t index, TurnClass fresh, TurnClass retry) {
  state.turns.set(index, Lane::kFresh, fresh);
  state.turns.set(index, Lane::kRetry, retry);
}

void set_timer(State& state, uint32_t index, Instant when) {
  if (when > state.now && when != Instant::never()) {
    state.timers.wake_by(State::kFirstEndpointOwner + index, when);
  }
}

// Takes one delivery of the endpoint and starts it.
void serve(State& state, uint32_t index, TurnClass turn_class) {
  Endpoint& endpoint = state.endpoints[index];
  Backlog& backlog = state.backlogs[endpoint.backlog];
  if (turn_class != TurnClass::kRetry) {
    start_picked(state, index, pick_fresh(state, endpoint, backlog), {.lane = Lane::kFresh});
  } else if (may_probe(state, endpoint)) {
    start_picked(state, index, pick_probe(state, backlog),
                 {.lane = Lane::kRetry, .is_probe = true});
  } else {
    start_picked(state, index, pick_retry(state, endpoint, backlog), {.lane = Lane::kRetry});
  }
}

}  // namespace

uint32_t retry_share(const State& state) {
  return std::max(1U, state.options.lanes.endpoint_in_flight_max / 2);
}

uint32_t window_capacity(const State& state, const Endpoint& endpoint) {
  if (endpoint.record.lets_out()) {
    return state.options.lanes.window_max;
  }
  // Of a held backlog only the next probe matters.
  const bool probes = endpoint.record.state == CircuitState::kDisabled && !endpoint.record.paused;
  return probes ? 1 : 0;
}

bool is_busy(const State& state, const Endpoint& endpoint, base::DeliveryId delivery) {
  if (state.leaving.contains(delivery.value)) {
    return true;
  }
  for (uint32_t slot = endpoint.first_attempt; slot != kNoIndex;
       slot = state.attempts[slot].siblings.next) {
    if (state.attempts[slot].delivery.id == delivery) {
      return true;
    }
  }
  return false;
}

void refresh(State& state, uint32_t index) {
  Endpoint& endpoint = state.endpoints[index];
  state.census.count(endpoint);
  if (endpoint.backlog == kNoIndex) {
    return;
  }
  Backlog& backlog = state.backlogs[endpoint.backlog];
  backlog.drop_idle_queues();
  if (endpoint.in_flight == 0 && backlog.is_idle()) {
    set_turns(state, index, TurnClass::kNone, TurnClass::kNone);
    drop_backlog(state, endpoint);
    return;
  }
  if (endpoint.record.lets_out()) {
    ask_for_pages(state, endpoint, backlog);
    set_turns(state, index, fresh_class(state, endpoint, backlog),
              retry_class(state, endpoint, backlog));
    const Instant spill_at = spill_overdue(state, endpoint, backlog);
    set_timer(state, index, std::min(spill_at, next_pick(state, endpoint, backlog)));
    return;
  }
  if (may_probe(state, endpoint)) {
    ask_for_pages(state, endpoint, backlog);
  }
  set_turns(state, index, TurnClass::kNone, retry_class(state, endpoint, backlog));
  if (window_capacity(state, endpoint) > 0 && !endpoint.probe_in_flight) {
    set_timer(state, index, next_pick(state, endpoint, backlog));
  }
}

void pump(State& state) {
  if (state.draining) {
    return;
  }
  for (const TurnClass turn_class :
       {TurnClass::kFreshHealthy, TurnClass::kFreshSuspect, TurnClass::kRetry}) {
    for (;;) {
      const uint32_t index = state.turns.take_turn(turn_class);
      if (index == kNoIndex) {
        break;
      }
      serve(state, index, turn_class);
      refresh(state, index);
    }
  }
}

void due_loaded(State& state, const DueLoaded& loaded) {
  const uint32_t index = state.endpoint_index.find(loaded.endpoint.value);
  if (index == kNoIndex || state.endpoints[index].backlog == kNoIndex) {
    return;
  }
  Endpoint& endpoint = state.endpoints[index];
  Queue* const queue = state.backlogs[endpoint.backlog].find(loaded.queue);
  if (queue == nullptr) {
    return;
  }
  const auto busy = [&](const model::Delivery& delivery) {
    return is_busy(state, endpoint, delivery.id);
  };
  for (DueWindow* const window : {&queue->fresh, &queue->drain, &queue->retry}) {
    if (window->load() == loaded.load) {
      window->loaded(loaded.page, busy, window_capacity(state, endpoint));
    }
  }
  refresh(state, index);
}

}  // namespace core
