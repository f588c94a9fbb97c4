#include "core/circuits.h"

#include "base/check.h"
#include "core/expiry.h"
#include "core/queueing.h"
#include "core/sections.h"

namespace core {
namespace {

using base::Duration;
using model::CircuitState;
using model::EndpointRecord;
using model::OperationalType;

// A flapping endpoint must not flood its owner.
constexpr Duration kPublicationInterval = Duration::minutes(1);

void publish(State& state, EndpointRecord& record, OperationalType type) {
  open_section(state, record.id.shard())
      .events.push_back({.type = type,
                         .tenant = record.tenant,
                         .endpoint = record.id,
                         .delivery = {},
                         .at = state.now,
                         .withheld = record.publications_withheld});
  record.publications_withheld = 0;
}

// At most one pair of disabled and enabled a minute; the others are counted in the next.
void publish_transition(State& state, EndpointRecord& record, const model::Transition& transition) {
  if (transition.to == CircuitState::kFrozen) {
    publish(state, record, OperationalType::kEndpointFrozen);
  } else if (transition.to == CircuitState::kDisabled) {
    const bool is_too_soon = record.disabled_published_at.is_set() &&
                             state.now - record.disabled_published_at < kPublicationInterval;
    record.disabled_was_published = !is_too_soon;
    if (is_too_soon) {
      record.publications_withheld += 1;
    } else {
      record.disabled_published_at = state.now;
      publish(state, record, OperationalType::kEndpointDisabled);
    }
  } else if (transition.from == CircuitState::kFrozen || record.disabled_was_published) {
    record.disabled_was_published = false;
    publish(state, record, OperationalType::kEndpointEnabled);
  } else {
    record.publications_withheld += 1;
  }
}

// From now on nothing is let out but probes: what waits in memory gets records, windows shrink.
void hold(State& state, Endpoint& endpoint) {
  if (endpoint.backlog == kNoIndex) {
    return;
  }
  for (Queue& queue : state.backlogs[endpoint.backlog].queues) {
    spill(state, endpoint, queue);
    const bool has_fresh = !queue.fresh.is_empty();
    if (!queue.drain.is_empty()) {
      queue.drain.reset_unknown(queue.drain.begin());
    } else if (has_fresh) {
      queue.drain.reset_unknown(queue.fresh.begin());
    }
    queue.fresh.reset_empty();
    queue.retry.trim(0);
  }
}

// From now on what was held drains by the ramp, and new first attempts pass it by.
void let_out(State& state, Endpoint& endpoint) {
  endpoint.ramp.restart();
  endpoint.drain_in_flight = 0;
  if (endpoint.backlog == kNoIndex) {
    return;
  }
  for (Queue& queue : state.backlogs[endpoint.backlog].queues) {
    if (!queue.drain.is_empty()) {
      queue.drain.reset_unknown(queue.drain.begin());
      queue.fresh.reset_unknown({.due = endpoint.record.released_at, .delivery = {}});
    }
  }
}

}  // namespace

void circuit_changed(State& state, uint32_t index, const model::Transition& transition,
                     ChangeContext context) {
  Endpoint& endpoint = state.endpoints[index];
  EndpointRecord& record = endpoint.record;
  open_section(state, record.id.shard()).section.transitions.push_back(transition);
  if (transition.from != transition.to) {
    endpoint.state_changes += 1;
    if (transition.to == CircuitState::kActive) {
      endpoint.enables += 1;
    }
    if (!context.is_silent) {
      publish_transition(state, record, transition);
    } else if (transition.to == CircuitState::kDisabled) {
      record.disabled_was_published = false;
    }
  }
  if (context.lets_out_before && !record.lets_out()) {
    hold(state, endpoint);
    reconsider_expiry(state, record.id.shard());
  } else if (!context.lets_out_before && record.lets_out()) {
    let_out(state, endpoint);
  }
}

void publish_dropped(State& state, const model::Delivery& delivery) {
  if (delivery.operational) {
    return;
  }
  open_section(state, delivery.endpoint.shard())
      .events.push_back({.type = OperationalType::kDeliveryDropped,
                         .tenant = delivery.tenant,
                         .endpoint = delivery.endpoint,
                         .delivery = delivery.id,
                         .at = state.now,
                         .withheld = 0});
}

}  // namespace core
