// Timers by due time, equal ones in the order in which they were set. Knows no clock.
//
// A binary heap of small entries over a slab of tasks, so that setting and cancelling a timer
// allocates nothing once the heap has grown: an attempt does both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/scheduler.h"
#include "base/time.h"

namespace net {

class TimerHeap {
 public:
  using TimerId = base::Scheduler::TimerId;
  using Task = base::Scheduler::Task;

  TimerId add(base::Instant when, Task task);
  // False if there is no such timer any more.
  bool remove(TimerId timer);

  std::optional<base::Instant> earliest() const;
  // The task of the earliest timer, if that is due at `now`; the timer is gone then.
  std::optional<Task> take_due(base::Instant now);

  size_t size() const { return heap_.size(); }

 private:
  struct Entry {
    base::Instant when;
    uint64_t order = 0;
    uint32_t slot = 0;

    bool operator<(const Entry& other) const {
      return std::pair(when, order) < std::pair(other.when, other.order);
    }
  };
  struct Slot {
    Task task;
    uint32_t generation = 1;  // of the id that is valid; ids of earlier users of the slot are not
    uint32_t position = 0;    // in the heap, while in use
  };

  Task take(size_t position);
  void put(size_t position, const Entry& entry);
  void rise(size_t position);
  void sink(size_t position);

  std::vector<Entry> heap_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
  uint64_t last_order_ = 0;
};

}  // namespace net
