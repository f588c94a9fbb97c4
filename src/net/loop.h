// The event loop: base::Scheduler on real time, and the place where descriptors are waited for.
//
// One loop, one thread: whoever calls run(). Everything that belongs to the loop (timers, sockets,
// the HTTP client) is used on that thread only; post(), stop(), now() and wall_clock() may be
// called from anywhere. The only file of the server that reads a clock.
//
// Timers are ours, and the kernel hears of the earliest only when there is nothing else to do and
// the loop goes to sleep. A timer of Asio's is set in the kernel whenever the earliest one changes,
// which costs 90 us a time on some virtual machines.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>

#include "base/scheduler.h"
#include "base/time.h"
#include "net/readiness.h"
#include "net/timer_heap.h"

namespace net {

class Loop : public base::Scheduler {
 public:
  // `last_committed`: the latest time that is on record; scheduling time never begins before it.
  explicit Loop(base::Instant last_committed = {});
  // What was posted and has not run is dropped.
  ~Loop() override;

  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  base::Instant now() const override;
  void post(Task task) override;
  TimerId call_at(base::Instant when, Task task) override;
  void cancel(TimerId timer) override;

  // What the world's clocks show: for timestamps that others read, never for scheduling.
  base::Instant wall_clock() const;

  // Works until stop(). A loop that was stopped can run again.
  void run();
  void stop();

  // Works until `condition` holds or the patience is at its end; says which. For tests and tools.
  bool run_until(const std::function<bool()>& condition, base::Duration patience);

  boost::asio::io_context& context() { return context_; }
  Readiness& readiness() { return readiness_; }

 private:
  // Runs up to `most` tasks, then the timers that are due; waits if there are none, but not beyond
  // `latest`.
  void turn(size_t most, base::Instant latest);
  size_t wait_for_task(base::Instant until);
  void ring();

  boost::asio::io_context context_;
  Readiness readiness_;
  base::SchedulingClock clock_;
  TimerHeap timers_;
};

}  // namespace net
