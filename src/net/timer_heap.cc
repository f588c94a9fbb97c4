#include "net/timer_heap.h"

namespace net {

TimerHeap::TimerId TimerHeap::add(base::Instant when, Task task) {
  uint32_t slot = 0;
  if (free_.empty()) {
    slot = static_cast<uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  slots_[slot].task = std::move(task);
  heap_.emplace_back();
  put(heap_.size() - 1, {.when = when, .order = ++last_order_, .slot = slot});
  rise(heap_.size() - 1);
  return static_cast<TimerId>(uint64_t{slots_[slot].generation} << 32U | slot);
}

bool TimerHeap::remove(TimerId timer) {
  const auto slot = static_cast<uint32_t>(timer);
  const auto generation = static_cast<uint32_t>(static_cast<uint64_t>(timer) >> 32U);
  if (slot >= slots_.size() || slots_[slot].generation != generation) {
    return false;
  }
  take(slots_[slot].position);
  return true;
}

std::optional<base::Instant> TimerHeap::earliest() const {
  return heap_.empty() ? std::nullopt : std::optional(heap_.front().when);
}

std::optional<TimerHeap::Task> TimerHeap::take_due(base::Instant now) {
  if (heap_.empty() || heap_.front().when > now) {
    return std::nullopt;
  }
  return take(0);
}

TimerHeap::Task TimerHeap::take(size_t position) {
  const uint32_t slot = heap_[position].slot;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (position < heap_.size()) {
    put(position, last);
    rise(position);
    sink(slots_[last.slot].position);
  }
  Task task = std::exchange(slots_[slot].task, nullptr);
  // Generation 0 stays unused, so that no id equals kNone.
  slots_[slot].generation = slots_[slot].generation == UINT32_MAX ? 1 : slots_[slot].generation + 1;
  free_.push_back(slot);
  return task;
}

void TimerHeap::put(size_t position, const Entry& entry) {
  heap_[position] = entry;
  slots_[entry.slot].position = static_cast<uint32_t>(position);
}

void TimerHeap::rise(size_t position) {
  const Entry entry = heap_[position];
  while (position > 0 && entry < heap_[(position - 1) / 2]) {
    put(position, heap_[(position - 1) / 2]);
    position = (position - 1) / 2;
  }
  put(position, entry);
}

void TimerHeap::sink(size_t position) {
  const Entry entry = heap_[position];
  while (2 * position + 1 < heap_.size()) {
    size_t child = 2 * position + 1;
    if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child]) {
      child += 1;
    }
    if (!(heap_[child] < entry)) {
      break;
    }
    put(position, heap_[child]);
    position = child;
  }
  put(position, entry);
}

}  // namespace net
