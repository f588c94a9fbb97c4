#include "core/picking.h"

#include <algorithm>
#include <array>

namespace core {
namespace {

using base::Instant;
using model::Delivery;

// The subscription of a queue that has limits of its own.
const Subscription* owner_of(const State& state, const Queue& queue) {
  return queue.id == model::kSharedQueue ? nullptr : state.find(queue.id);
}

bool limits_allow(const State& state, const Queue& queue) {
  const Subscription* const owner = owner_of(state, queue);
  if (owner == nullptr) {
    return true;
  }
  const model::SubscriptionSettings& limits = owner->settings;
  if (limits.in_flight_max && queue.in_flight >= *limits.in_flight_max) {
    return false;
  }
  return !limits.rate_limit || owner->pacer.allows(*limits.rate_limit, state.now);
}

void consider(Pick& best, Source source, size_t queue, const Delivery* delivery) {
  if (delivery != nullptr && (!best || delivery->key() < best.key)) {
    best = {.source = source, .queue = queue, .key = delivery->key()};
  }
}

const Delivery* due_head(const DueWindow& window, Instant now) {
  const Delivery* const head = window.head();
  return head != nullptr && head->due <= now ? head : nullptr;
}

// The head is the earliest due record, or there is none that is due.
bool knows_head(const DueWindow& window, Instant now) {
  return window.head() != nullptr || window.complete() || window.next_due() > now;
}

bool knows_heads(const Backlog& backlog, Instant now) {
  return std::all_of(backlog.queues.begin(), backlog.queues.end(), [now](const Queue& queue) {
    return knows_head(queue.drain, now) && knows_head(queue.retry, now);
  });
}

// When something that is due at `due` may start, if only time is in its way; never() if something
// else is.
Instant next_start(const State& state, const model::EndpointRecord& record, const Queue& queue,
                   Instant due) {
  Instant next = due;
  const Subscription* const owner = owner_of(state, queue);
  if (record.lets_out() && owner != nullptr && owner->settings.rate_limit) {
    next = std::max(next, owner->pacer.next(*owner->settings.rate_limit));
  }
  next = std::max(next, record.not_before);
  if (!record.lets_out()) {
    next = std::max(next, record.probe_from);
  }
  return next > state.now ? next : Instant::never();
}

}  // namespace

Pick pick_fresh(const State& state, const Endpoint& endpoint, const Backlog& backlog) {
  Pick best;
  if (!endpoint.record.lets_out() || endpoint.record.not_before > state.now) {
    return best;
  }
  for (size_t i = 0; i < backlog.queues.size(); ++i) {
    const Queue& queue = backlog.queues[i];
    if (!limits_allow(state, queue)) {
      continue;
    }
    if (!queue.memory_only.empty()) {
      consider(best, Source::kMemory, i, &queue.memory_only.front().delivery);
    } else {
      consider(best, Source::kFresh, i, due_head(queue.fresh, state.now));
    }
  }
  return best;
}

Pick pick_retry(const State& state, const Endpoint& endpoint, const Backlog& backlog) {
  Pick best;
  const model::EndpointRecord& record = endpoint.record;
  if (!record.lets_out() || record.not_before > state.now) {
    return best;
  }
  // What is held drains in the order of due times, so all of its heads must be known.
  const bool ramp_allows =
      endpoint.drain_in_flight < endpoint.ramp.limit() && knows_heads(backlog, state.now);
  for (size_t i = 0; i < backlog.queues.size(); ++i) {
    const Queue& queue = backlog.queues[i];
    if (!limits_allow(state, queue)) {
      continue;
    }
    const Delivery* const retry = due_head(queue.retry, state.now);
    if (retry != nullptr && (ramp_allows || retry->queued_at >= record.released_at)) {
      consider(best, Source::kRetry, i, retry);
    }
    if (ramp_allows) {
      consider(best, Source::kDrain, i, due_head(queue.drain, state.now));
    }
  }
  return best;
}

Pick pick_probe(const State& state, const Backlog& backlog) {
  Pick best;
  for (size_t i = 0; i < backlog.queues.size(); ++i) {
    const Queue& queue = backlog.queues[i];
    // What gets its record just now may be the oldest.
    if (queue.spilling > 0 || !knows_head(queue.drain, state.now) ||
        !knows_head(queue.retry, state.now)) {
      return {};
    }
    consider(best, Source::kDrain, i, due_head(queue.drain, state.now));
    consider(best, Source::kRetry, i, due_head(queue.retry, state.now));
  }
  return best;
}

Instant next_pick(const State& state, const Endpoint& endpoint, const Backlog& backlog) {
  const model::EndpointRecord& record = endpoint.record;
  Instant next = Instant::never();
  for (const Queue& queue : backlog.queues) {
    std::array<Instant, 4> due = {queue.drain.next_due(), queue.retry.next_due(), Instant::never(),
                                  Instant::never()};
    if (record.lets_out()) {
      due[2] = queue.fresh.next_due();
      due[3] = queue.memory_only.empty() ? Instant::never() : queue.memory_only.front().arrived;
    }
    for (const Instant each : due) {
      next = std::min(next, next_start(state, record, queue, each));
    }
  }
  return next;
}

}  // namespace core
