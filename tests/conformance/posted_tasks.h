// A scheduler whose tasks come from any thread and run on the one that waits for them. Its time
// stands still: nothing here measures any.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

#include "base/scheduler.h"

namespace conformance {

class PostedTasks : public base::Scheduler {
 public:
  explicit PostedTasks(base::Instant now) : now_(now) {}

  base::Instant now() const override { return now_; }
  void post(Task task) override;
  // A store has no use for timers.
  TimerId call_at(base::Instant when, Task task) override;
  void cancel(TimerId timer) override;

  // Runs tasks on this thread until `is_done`. False if none comes for very long.
  bool run_until(const std::function<bool()>& is_done);

 private:
  base::Instant now_;
  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<Task> tasks_;
};

}  // namespace conformance
