#include "tests/crash/loop.h"

#include <algorithm>
#include <chrono>

namespace crash {
namespace {

template <class Clock>
int64_t read_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch())
      .count();
}

base::Duration monotonic() { return base::Duration::ms(read_ms<std::chrono::steady_clock>()); }

}  // namespace

Loop::Loop(base::Instant last_committed)
    : clock_(base::Instant::from_ms(read_ms<std::chrono::system_clock>()), last_committed,
             monotonic()) {}

base::Instant Loop::now() const { return clock_.at(monotonic()); }

void Loop::post(Task task) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  posted_.notify_one();
}

base::Scheduler::TimerId Loop::call_at(base::Instant when, Task task) {
  last_timer_ += 1;
  timers_.emplace(TimerKey{when, last_timer_}, std::move(task));
  return TimerId{last_timer_};
}

void Loop::cancel(TimerId timer) {
  std::erase_if(timers_, [timer](const auto& entry) {
    return entry.first.second == static_cast<uint64_t>(timer);
  });
}

void Loop::wait_for_work() {
  std::unique_lock lock(mutex_);
  const auto has_task = [this] { return !tasks_.empty(); };
  if (timers_.empty()) {
    posted_.wait(lock, has_task);
    return;
  }
  const int64_t left = (timers_.begin()->first.first - now()).count_ms();
  posted_.wait_for(lock, std::chrono::milliseconds(std::max<int64_t>(left, 0)), has_task);
}

void Loop::run_timers() {
  while (!timers_.empty() && timers_.begin()->first.first <= now() && !is_stopped_) {
    const Task task = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    task();
  }
}

void Loop::run() {
  is_stopped_ = false;
  while (!is_stopped_) {
    wait_for_work();
    std::vector<Task> tasks;
    {
      const std::lock_guard lock(mutex_);
      tasks.swap(tasks_);
    }
    for (const Task& task : tasks) {
      task();
    }
    run_timers();
  }
}

}  // namespace crash
