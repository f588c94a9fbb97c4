#include "tests/conformance/posted_tasks.h"

#include <chrono>
#include <utility>

#include "base/check.h"

namespace conformance {
namespace {

// For a disk that is busy with something else; nobody waits that long unless a test fails.
constexpr std::chrono::seconds kPatience(60);

}  // namespace

void PostedTasks::post(Task task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  posted_.notify_one();
}

base::Scheduler::TimerId PostedTasks::call_at(base::Instant, Task) {
  CHECK(false && "a store asked for a timer");
  return TimerId::kNone;
}

void PostedTasks::cancel(TimerId) {}

bool PostedTasks::run_until(const std::function<bool()>& is_done) {
  while (!is_done()) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      if (!posted_.wait_for(lock, kPatience, [this] { return !tasks_.empty(); })) {
        return false;
      }
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
  return true;
}

}  // namespace conformance
