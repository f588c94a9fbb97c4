// Seam: the only way to learn the time, to run something later, and to get back onto one's thread.
//
// Two implementations: the event loop of the server and the simulator's virtual scheduler, which
// jumps from deadline to deadline. Code that is handed a Scheduler runs unchanged on both.
#pragma once

#include <cstdint>
#include <functional>

#include "base/time.h"

namespace base {

class Scheduler {
 public:
  using Task = std::function<void()>;
  enum class TimerId : uint64_t { kNone = 0 };

  virtual ~Scheduler() = default;

  // Never goes backwards.
  virtual Instant now() const = 0;
  // Runs `task` on the scheduler's thread, after what was posted before it.
  virtual void post(Task task) = 0;
  // Runs `task` once, not before `when`. The id is valid until the task has run or was cancelled.
  virtual TimerId call_at(Instant when, Task task) = 0;
  // A timer that has run already is ignored.
  virtual void cancel(TimerId timer) = 0;
};

}  // namespace base
