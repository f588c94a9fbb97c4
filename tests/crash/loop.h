// A scheduler on real time for the crash drivers: one thread runs what others post to it.
//
// It is as small as the drills need; it serves no sockets.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/scheduler.h"
#include "base/time.h"

namespace crash {

class Loop final : public base::Scheduler {
 public:
  explicit Loop(base::Instant last_committed);

  base::Instant now() const override;
  void post(Task task) override;  // from any thread
  // The timers belong to the thread that calls run().
  TimerId call_at(base::Instant when, Task task) override;
  void cancel(TimerId timer) override;

  // Runs tasks until stop() was called.
  void run();
  void stop() { is_stopped_ = true; }

 private:
  using TimerKey = std::pair<base::Instant, uint64_t>;

  void wait_for_work();
  void run_timers();

  base::SchedulingClock clock_;
  bool is_stopped_ = false;
  std::map<TimerKey, Task> timers_;
  uint64_t last_timer_ = 0;

  std::mutex mutex_;
  std::condition_variable posted_;
  std::vector<Task> tasks_;
};

}  // namespace crash
