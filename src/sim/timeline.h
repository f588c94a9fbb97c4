// Virtual time: a heap of tasks, ordered by time and then by the order in which they were
// scheduled. Running a task jumps to its time; nothing ever ticks.
//
// The world (receivers, faults, producers) schedules on the timeline itself and outlives crashes. A
// process schedules through a SimScheduler, whose tasks vanish with it.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <set>
#include <vector>

#include "base/scheduler.h"
#include "base/time.h"

namespace sim {

class Timeline {
 public:
  using Task = std::function<void()>;
  using Owner = uint64_t;
  static constexpr Owner kWorld = 0;

  // Time since the beginning of the run.
  base::Duration elapsed() const { return elapsed_; }

  // Returns the id of the task.
  uint64_t call_at(base::Duration when, Owner owner, Task task);
  uint64_t call_after(base::Duration delay, Task task) {
    return call_at(elapsed_ + delay, kWorld, std::move(task));
  }
  void cancel(uint64_t task) { cancelled_.insert(task); }

  Owner new_owner() { return ++last_owner_; }
  // Its tasks will not run.
  void drop_owner(Owner owner) { dropped_.insert(owner); }

  // Jumps to the next task and runs it; false if there is none up to `until`. The time is then
  // `until`.
  bool run_next(base::Duration until);

 private:
  struct Entry {
    base::Duration when;
    uint64_t sequence = 0;
    Owner owner = kWorld;
    Task task;
  };
  struct Later {
    bool operator()(const Entry& left, const Entry& right) const {
      return left.when != right.when ? left.when > right.when : left.sequence > right.sequence;
    }
  };

  bool is_dead(const Entry& entry);

  std::priority_queue<Entry, std::vector<Entry>, Later> tasks_;
  std::set<uint64_t> cancelled_;
  std::set<Owner> dropped_;
  base::Duration elapsed_;
  uint64_t last_sequence_ = 0;
  Owner last_owner_ = kWorld;
};

// The scheduler of one process on the timeline. Its time is scheduling time: see base/time.h.
class SimScheduler : public base::Scheduler {
 public:
  SimScheduler(Timeline& timeline, base::Instant wall_clock, base::Instant last_committed);
  ~SimScheduler() override;

  SimScheduler(const SimScheduler&) = delete;
  SimScheduler& operator=(const SimScheduler&) = delete;

  base::Instant now() const override { return clock_.at(timeline_.elapsed()); }
  void post(Task task) override;
  TimerId call_at(base::Instant when, Task task) override;
  void cancel(TimerId timer) override;

 private:
  Timeline& timeline_;
  base::SchedulingClock clock_;
  Timeline::Owner owner_;
};

}  // namespace sim
