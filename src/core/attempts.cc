#include "core/attempts.h"

#include <algorithm>

#include "base/check.h"
#include "core/checkpoint.h"
#include "core/circuits.h"
#include "core/commands.h"
#include "core/expiry.h"
#include "core/queueing.h"
#include "core/scheduling.h"
#include "core/sections.h"

namespace core {
namespace {

using base::Instant;
using model::CircuitState;
using model::Counting;
using model::Delivery;
using model::EndState;

Delivery take(Queue& queue, Source source) {
  switch (source) {
    case Source::kMemory: {
      const Delivery delivery = queue.memory_only.front().delivery;
      queue.memory_only.pop_front();
      return delivery;
    }
    case Source::kFresh:
      return queue.fresh.take_head();
    case Source::kDrain:
      return queue.drain.take_head();
    case Source::kRetry:
      return queue.retry.take_head();
    case Source::kNone:
      break;
  }
  CHECK(source != Source::kNone);
  return {};
}

void link(State& state, Endpoint& endpoint, uint32_t slot) {
  AttemptSlot& attempt = state.attempts[slot];
  attempt.siblings = {.previous = kNoIndex, .next = endpoint.first_attempt};
  if (endpoint.first_attempt != kNoIndex) {
    state.attempts[endpoint.first_attempt].siblings.previous = slot;
  }
  endpoint.first_attempt = slot;
}

void unlink(State& state, Endpoint& endpoint, uint32_t slot) {
  const RingLink siblings = state.attempts[slot].siblings;
  if (siblings.previous == kNoIndex) {
    endpoint.first_attempt = siblings.next;
  } else {
    state.attempts[siblings.previous].siblings.next = siblings.next;
  }
  if (siblings.next != kNoIndex) {
    state.attempts[siblings.next].siblings.previous = siblings.previous;
  }
}

void send(State& state, uint32_t slot) {
  AttemptSlot& attempt = state.attempts[slot];
  const Subscription* const subscription = state.find(attempt.delivery.subscription);
  const bool has_deadline = subscription != nullptr && subscription->settings.deadline;
  attempt.phase = AttemptPhase::kInFlight;
  attempt.started_at = state.now;
  state.emit(StartAttempt{.token = {.slot = slot, .generation = attempt.generation},
                          .delivery = attempt.delivery,
                          .number = attempt.delivery.attempts + 1,
                          .lane = attempt.lane,
                          .is_probe = attempt.is_probe,
                          .deadline = has_deadline ? *subscription->settings.deadline
                                                   : state.options.attempt_deadline});
}

bool pacer_allows(const State& state, const Delivery& delivery) {
  const Subscription* const subscription = state.find(delivery.subscription);
  return subscription == nullptr || !subscription->settings.rate_limit ||
         subscription->pacer.allows(*subscription->settings.rate_limit, state.now);
}

void charge_pacer(State& state, const Delivery& delivery) {
  Subscription* const subscription = state.find(delivery.subscription);
  if (subscription != nullptr && subscription->settings.rate_limit) {
    subscription->pacer.take(*subscription->settings.rate_limit, state.now);
  }
}

void count_start(State& state, Endpoint& endpoint, Queue& queue, const AttemptSlot& attempt) {
  state.turns.started(attempt.turn_class);
  endpoint.in_flight += 1;
  if (attempt.lane == model::Lane::kRetry) {
    endpoint.retry_in_flight += 1;
  }
  if (attempt.is_drain) {
    endpoint.drain_in_flight += 1;
  }
  endpoint.probe_in_flight = endpoint.probe_in_flight || attempt.is_probe;
  if (!endpoint.record.first_attempt_at.is_set()) {
    endpoint.record.first_attempt_at = state.now;
  }
  if (queue.id != model::kSharedQueue) {
    queue.in_flight += 1;
  }
  charge_pacer(state, attempt.delivery);
}

void start(State& state, uint32_t index, const Delivery& delivery, StartKind kind) {
  Endpoint& endpoint = state.endpoints[index];
  const uint32_t slot = state.attempts.allocate();
  AttemptSlot& attempt = state.attempts[slot];
  const uint32_t generation = attempt.generation + 1;
  attempt = AttemptSlot{};
  attempt.generation = generation;
  attempt.endpoint = index;
  attempt.delivery = delivery;
  attempt.queue = delivery.queue;
  attempt.lane = kind.lane;
  attempt.is_probe = kind.is_probe;
  attempt.is_drain = kind.lane == model::Lane::kRetry && !kind.is_probe &&
                     delivery.queued_at < endpoint.record.released_at;
  attempt.released_at = endpoint.record.released_at;
  attempt.stamp = endpoint.stamp();
  attempt.turn_class = TurnClass::kRetry;
  if (kind.lane == model::Lane::kFresh) {
    attempt.turn_class =
        endpoint.is_suspect() ? TurnClass::kFreshSuspect : TurnClass::kFreshHealthy;
  }
  link(state, endpoint, slot);
  count_start(state, endpoint, backlog_of(state, endpoint).find_or_add(delivery.queue), attempt);
  send(state, slot);
}

// A subscription got limits of its own after this delivery was queued: it belongs into its own
// queue, where it cannot block others.
bool move_to_own_queue(State& state, uint32_t index, Delivery delivery) {
  const Subscription* const subscription = state.find(delivery.subscription);
  if (delivery.queue != model::kSharedQueue || subscription == nullptr ||
      !subscription->settings.has_own_queue()) {
    return false;
  }
  Endpoint& endpoint = state.endpoints[index];
  const Delivery before = delivery;
  delivery.queue = delivery.subscription;
  if (!delivery.recorded) {
    queue_memory_only(state, index, delivery);
    return true;
  }
  const base::ShardId shard = endpoint.record.id.shard();
  open_section(state, shard)
      .section.deliveries.push_back({.delivery = delivery.id,
                                     .attempt = {},
                                     .removed = before,
                                     .placed = delivery,
                                     .end = {},
                                     .owner = owner_of(delivery)});
  state.leaving.insert(delivery.id.value, index);
  when_durable(state, shard, MoveDurable{.from = before, .to = delivery});
  return true;
}

// Frees the attempt's place, whatever became of it.
void release(State& state, uint32_t slot) {
  AttemptSlot& attempt = state.attempts[slot];
  Endpoint& endpoint = state.endpoints[attempt.endpoint];
  CHECK(attempt.phase != AttemptPhase::kFree);
  CHECK_GT(endpoint.in_flight, 0);
  state.turns.ended(attempt.turn_class);
  endpoint.in_flight -= 1;
  if (attempt.lane == model::Lane::kRetry) {
    endpoint.retry_in_flight -= 1;
  }
  // A newer release has begun a ramp of its own.
  if (attempt.is_drain && attempt.released_at == endpoint.record.released_at) {
    endpoint.drain_in_flight -= 1;
  }
  if (attempt.is_probe) {
    endpoint.probe_in_flight = false;
  }
  if (attempt.queue != model::kSharedQueue) {
    if (Queue* const queue = backlog_of(state, endpoint).find(attempt.queue)) {
      queue->in_flight -= 1;
    }
  }
  unlink(state, endpoint, slot);
  attempt.phase = AttemptPhase::kFree;
  state.attempts.release(slot);
}

bool is_removed(const State& state, const Delivery& delivery) {
  const Subscription* const subscription = state.find(delivery.subscription);
  return subscription != nullptr && subscription->removed;
}

bool may_still_start(const State& state, const AttemptSlot& attempt) {
  const model::EndpointRecord& record = state.endpoints[attempt.endpoint].record;
  if (state.draining || record.paused || record.not_before > state.now ||
      attempt.cancel != CommandId::kNone || is_removed(state, attempt.delivery)) {
    return false;
  }
  if (attempt.is_probe) {
    return record.state == CircuitState::kDisabled;
  }
  // The ramp may have become narrower.
  const Endpoint& endpoint = state.endpoints[attempt.endpoint];
  if (attempt.is_drain && endpoint.drain_in_flight > endpoint.ramp.limit()) {
    return false;
  }
  // Held and released meanwhile: it belongs to another lane and ramp now.
  return record.lets_out() && record.released_at == attempt.released_at &&
         pacer_allows(state, attempt.delivery);
}

// The attempt never was: its delivery goes back to where it came from.
void give_back(State& state, uint32_t slot) {
  const Delivery delivery = state.attempts[slot].delivery;
  const CommandId cancel = state.attempts[slot].cancel;
  const uint32_t index = state.attempts[slot].endpoint;
  release(state, slot);
  if (cancel != CommandId::kNone) {
    end_unstarted(state, state.endpoints[index], delivery, {EndState::kCancelled, cancel});
  } else if (delivery.recorded) {
    add_to_window(state, state.endpoints[index], delivery);
    note_expiry(state, delivery);
  } else {
    queue_memory_only(state, index, delivery);
  }
  refresh(state, index);
}

void postpone(State& state, uint32_t slot) {
  AttemptSlot& attempt = state.attempts[slot];
  Subscription* const subscription = state.find(attempt.delivery.subscription);
  if (subscription != nullptr && subscription->settings.rate_limit) {
    subscription->pacer.give_back(*subscription->settings.rate_limit);
  }
  attempt.phase = AttemptPhase::kPostponed;
  state.postponed.push_back({.until = state.now + state.options.own_failure_delay,
                             .token = {.slot = slot, .generation = attempt.generation}});
}

// Counts the outcome and lets the circuit judge it.
std::optional<model::Transition> count(State& state, Endpoint& endpoint, const AttemptSlot& attempt,
                                       model::Attempt& record, const model::Outcome& outcome) {
  std::optional<model::Transition> transition;
  record.counting = counting_of(attempt.stamp, endpoint.stamp());
  record.circuit_before = endpoint.record.state;
  const bool was_probe_of_this_state =
      record.counting == Counting::kFull && attempt.stamp.state == CircuitState::kDisabled;
  if (is_success(outcome)) {
    count_success(endpoint.record, record.counting, state.now);
    if (was_probe_of_this_state) {
      transition = enable(endpoint.record, model::TransitionReason::kProbeSucceeded, state.now);
    }
  } else {
    count_failure(endpoint.record, record.counting, state.now);
    if (was_probe_of_this_state) {
      endpoint.record.probe_from = state.now + state.options.circuit.probe_interval;
    }
    if (record.counting != Counting::kLifetimeOnly) {
      transition = judge(endpoint.record, state.options.circuit, state.now);
    }
  }
  record.ordinal = endpoint.record.attempts();
  record.circuit_after = endpoint.record.state;
  return transition;
}

void adjust_ramp(const State& state, Endpoint& endpoint, const AttemptSlot& attempt, bool success) {
  if (!attempt.is_drain || attempt.released_at != endpoint.record.released_at) {
    return;
  }
  if (success) {
    endpoint.ramp.succeeded(retry_share(state));
  } else {
    endpoint.ramp.failed();
  }
}

// When the delivery is tried again; nothing if it is not.
std::optional<Instant> next_due(State& state, Endpoint& endpoint, const Delivery& delivery,
                                const model::Outcome& outcome) {
  std::optional<Instant> due =
      state.schedule_of(delivery.subscription).next_due(delivery, state.now);
  if (honours_retry_after(outcome)) {
    const base::Duration wait = std::min(*outcome.retry_after, state.options.retry_after_max);
    const Instant not_before = state.now + wait;
    endpoint.record.not_before = std::max(endpoint.record.not_before, not_before);
    if (due) {
      due = std::max(*due, not_before);
    }
  }
  return due;
}

// Decides what becomes of the delivery and fills in the change.
void settle(State& state, Endpoint& endpoint, AttemptSlot& attempt, const model::Outcome& outcome,
            model::DeliveryChange& change) {
  if (attempt.delivery.recorded) {
    change.removed = attempt.delivery;
  }
  if (is_success(outcome)) {
    change.end = EndState::kDelivered;
  } else {
    Delivery next = attempt.delivery;
    next.attempts += 1;
    next.range = model::DueRange::kRetry;
    next.recorded = true;
    const std::optional<Instant> due = next_due(state, endpoint, next, outcome);
    if (attempt.cancel != CommandId::kNone || is_removed(state, next)) {
      change.end = EndState::kCancelled;
    } else if (!due) {
      change.end = EndState::kDropped;
    } else {
      next.due = *due;
      change.placed = next;
      attempt.placed = next;
    }
  }
  attempt.ended = change.end.has_value();
}

void answer_cancel(State& state, const AttemptSlot& attempt, const model::DeliveryChange& change) {
  if (attempt.cancel == CommandId::kNone) {
    return;
  }
  if (change.end == EndState::kCancelled) {
    when_durable(state, attempt.delivery.endpoint.shard(),
                 CommandDurable{.command = attempt.cancel});
  } else {
    state.emit(CommandDone{.command = attempt.cancel, .result = CommandResult::kTooLate});
  }
}

void finish(State& state, uint32_t slot, const model::Outcome& outcome) {
  AttemptSlot& attempt = state.attempts[slot];
  const uint32_t index = attempt.endpoint;
  Endpoint& endpoint = state.endpoints[index];
  const bool lets_out_before = endpoint.record.lets_out();
  model::DeliveryChange change{.delivery = attempt.delivery.id,
                               .attempt = model::Attempt{.delivery = attempt.delivery.id,
                                                         .endpoint = endpoint.record.id,
                                                         .number = attempt.delivery.attempts + 1,
                                                         .ordinal = 0,
                                                         .lane = attempt.lane,
                                                         .is_probe = attempt.is_probe,
                                                         .started_at = attempt.started_at,
                                                         .finished_at = state.now,
                                                         .outcome = outcome},
                               .removed = {},
                               .placed = {},
                               .end = {},
                               .owner = owner_of(attempt.delivery)};
  const auto transition = count(state, endpoint, attempt, *change.attempt, outcome);
  adjust_ramp(state, endpoint, attempt, is_success(outcome));
  settle(state, endpoint, attempt, outcome, change);
  attempt.phase = AttemptPhase::kCommitting;
  if (attempt.ended) {
    endpoint.record.unfinished -= 1;
    endpoint.ending += 1;
  }
  const base::ShardId shard = endpoint.record.id.shard();
  open_section(state, shard).section.deliveries.push_back(change);
  when_durable(state, shard, AttemptDurable{.slot = slot});
  answer_cancel(state, attempt, change);
  if (transition) {
    circuit_changed(
        state, index, *transition,
        {.lets_out_before = lets_out_before, .is_silent = attempt.delivery.operational});
  }
  if (change.end == EndState::kDropped) {
    publish_dropped(state, attempt.delivery);
  }
  // The common case, a first attempt that succeeded, costs one record: recovery counts it again
  // from its outcome. Everything else writes the endpoint's record along.
  if (is_success(outcome) && !attempt.delivery.recorded && !transition) {
    mark_dirty(state, index);
  } else {
    write_record(state, endpoint);
  }
  refresh(state, index);
}

}  // namespace

void start_picked(State& state, uint32_t index, const Pick& pick, StartKind kind) {
  // The limits of a subscription may have changed since the endpoint asked for a turn.
  if (!pick) {
    return;
  }
  Endpoint& endpoint = state.endpoints[index];
  const Delivery delivery = take(state.backlogs[endpoint.backlog].queues[pick.queue], pick.source);
  CHECK(!is_busy(state, endpoint, delivery.id));
  if (is_removed(state, delivery)) {
    end_unstarted(state, endpoint, delivery, {EndState::kCancelled, CommandId::kNone});
    return;
  }
  if (cancel_if_wanted(state, endpoint, delivery)) {
    return;
  }
  // A probe is the oldest delivery, whatever queue it is in.
  if (!kind.is_probe && move_to_own_queue(state, index, delivery)) {
    return;
  }
  start(state, index, delivery, kind);
}

void attempt_finished(State& state, AttemptToken token, const model::Outcome& outcome) {
  CHECK_LT(token.slot, state.attempts.size());
  const AttemptSlot& attempt = state.attempts[token.slot];
  if (attempt.generation != token.generation || attempt.phase != AttemptPhase::kInFlight) {
    return;
  }
  if (outcome.kind == model::OutcomeKind::kNotStarted) {
    postpone(state, token.slot);
  } else {
    finish(state, token.slot, outcome);
  }
}

void attempt_durable(State& state, uint32_t slot) {
  const AttemptSlot attempt = state.attempts[slot];
  CHECK(attempt.phase == AttemptPhase::kCommitting);
  Endpoint& endpoint = state.endpoints[attempt.endpoint];
  release(state, slot);
  if (attempt.ended) {
    endpoint.ending -= 1;
  }
  if (attempt.delivery.recorded) {
    gone_from_window(state, endpoint, attempt.delivery);
  } else {
    state.low_water.close(attempt.delivery.id.sequence());
  }
  if (attempt.placed && !cancel_if_wanted(state, endpoint, *attempt.placed)) {
    add_to_window(state, endpoint, *attempt.placed);
    note_expiry(state, *attempt.placed);
  }
  refresh(state, attempt.endpoint);
}

void restart_postponed(State& state) {
  while (!state.postponed.empty() && state.postponed.front().until <= state.now) {
    const AttemptToken token = state.postponed.front().token;
    state.postponed.pop_front();
    AttemptSlot& attempt = state.attempts[token.slot];
    if (attempt.generation != token.generation || attempt.phase != AttemptPhase::kPostponed) {
      continue;
    }
    if (may_still_start(state, attempt)) {
      attempt.stamp = state.endpoints[attempt.endpoint].stamp();
      charge_pacer(state, attempt.delivery);
      send(state, token.slot);
    } else {
      give_back(state, token.slot);
    }
  }
}

void abandon(State& state, uint32_t slot) {
  AttemptSlot& attempt = state.attempts[slot];
  if (attempt.phase == AttemptPhase::kInFlight) {
    state.emit(AbandonAttempt{.token = {.slot = slot, .generation = attempt.generation}});
  }
  if (attempt.cancel != CommandId::kNone && attempt.phase != AttemptPhase::kCommitting) {
    state.emit(CommandDone{.command = attempt.cancel, .result = CommandResult::kNotOwner});
  }
  if (!attempt.delivery.recorded) {
    state.shards[attempt.delivery.endpoint.shard()].parked.push_back(
        attempt.delivery.id.sequence());
  }
  state.turns.ended(attempt.turn_class);
  attempt.phase = AttemptPhase::kFree;
  state.attempts.release(slot);
}

}  // namespace core
