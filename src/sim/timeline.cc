#include "sim/timeline.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace sim {

uint64_t Timeline::call_at(base::Duration when, Owner owner, Task task) {
  const uint64_t sequence = ++last_sequence_;
  tasks_.push({.when = std::max(when, elapsed_),
               .sequence = sequence,
               .owner = owner,
               .task = std::move(task)});
  return sequence;
}

bool Timeline::is_dead(const Entry& entry) {
  if (cancelled_.erase(entry.sequence) > 0) {
    return true;
  }
  return !dropped_.empty() && dropped_.contains(entry.owner);
}

bool Timeline::run_next(base::Duration until) {
  while (!tasks_.empty()) {
    if (tasks_.top().when > until) {
      break;
    }
    // top() is const only to protect the order, which pop() ends anyway.
    Entry entry = std::move(const_cast<Entry&>(tasks_.top()));
    tasks_.pop();
    if (is_dead(entry)) {
      continue;
    }
    elapsed_ = entry.when;
    entry.task();
    return true;
  }
  elapsed_ = std::max(elapsed_, until);
  return false;
}

SimScheduler::SimScheduler(Timeline& timeline, base::Instant wall_clock,
                           base::Instant last_committed)
    : timeline_(timeline),
      clock_(wall_clock, last_committed, timeline.elapsed()),
      owner_(timeline.new_owner()) {}

SimScheduler::~SimScheduler() { timeline_.drop_owner(owner_); }

void SimScheduler::post(Task task) {
  timeline_.call_at(timeline_.elapsed(), owner_, std::move(task));
}

base::Scheduler::TimerId SimScheduler::call_at(base::Instant when, Task task) {
  const base::Duration wait = std::max(when - now(), base::Duration());
  return static_cast<TimerId>(
      timeline_.call_at(timeline_.elapsed() + wait, owner_, std::move(task)));
}

void SimScheduler::cancel(TimerId timer) {
  if (timer != TimerId::kNone) {
    timeline_.cancel(static_cast<uint64_t>(timer));
  }
}

}  // namespace sim
