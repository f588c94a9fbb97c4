#include "core/endpoint.h"

#include <algorithm>

#include "base/check.h"

namespace core {

using model::Delivery;
using model::DueRange;
using model::QueueId;

void Queue::reset(QueueId queue) {
  id = queue;
  in_flight = 0;
  spilling = 0;
  memory_only.clear();
  fresh.reset_empty();
  drain.reset_empty();
  retry.reset_empty();
}

DueWindow& Queue::window_of(const Delivery& delivery, base::Instant released_at, bool lets_out) {
  if (delivery.range == DueRange::kRetry) {
    return retry;
  }
  return lets_out && delivery.queued_at >= released_at ? fresh : drain;
}

void Backlog::reset(const Endpoint& endpoint) {
  owner = &endpoint;
  queues.resize(1);
  queues.front().reset(model::kSharedQueue);
}

Queue* Backlog::find_own(QueueId id) {
  const auto found =
      std::lower_bound(queues.begin(), queues.end(), id,
                       [](const Queue& queue, QueueId key) { return queue.id < key; });
  return found != queues.end() && found->id == id ? &*found : nullptr;
}

Queue& Backlog::find_or_add(QueueId id) {
  if (Queue* const queue = find(id)) {
    return *queue;
  }
  const auto at = std::lower_bound(queues.begin(), queues.end(), id,
                                   [](const Queue& queue, QueueId key) { return queue.id < key; });
  const auto added = queues.insert(at, Queue{});
  added->reset(id);
  return *added;
}

void Backlog::drop_idle_queues() {
  if (queues.size() == 1) {
    return;
  }
  const auto is_spare = [](const Queue& queue) {
    return queue.id != model::kSharedQueue && queue.is_idle();
  };
  std::erase_if(queues, is_spare);
}

bool Backlog::is_idle() const {
  return std::all_of(queues.begin(), queues.end(),
                     [](const Queue& queue) { return queue.is_idle(); });
}

base::Instant Backlog::earliest_due() const {
  base::Instant earliest = base::Instant::never();
  for (const Queue& queue : queues) {
    earliest = std::min(
        {earliest, queue.fresh.next_due(), queue.drain.next_due(), queue.retry.next_due()});
    if (!queue.memory_only.empty()) {
      earliest = std::min(earliest, queue.memory_only.front().delivery.due);
    }
  }
  return earliest;
}

size_t Backlog::memory_only() const {
  size_t sum = 0;
  for (const Queue& queue : queues) {
    sum += queue.memory_only.size();
  }
  return sum;
}

}  // namespace core
