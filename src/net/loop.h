// The event loop: base::Scheduler on real time, and the place where descriptors are waited for.
//
// One loop, one thread: whoever calls run(). Everything that belongs to the loop (timers, sockets,
// the HTTP client) is used on that thread only; post(), stop(), now() and wall_clock() may be
// called from anywhere. The only file of the server that reads a clock.
//
// Timers are ours, and the kernel hears of the earliest only when there is nothing else to do and
// the loop goes to sleep. A timer of Asio's is set in the kernel whenever the earliest one changes,
// which costs 90 us a time on some virtual machines.
//
// So is the line of tasks: the kernel is asked for descriptors once in a turn, not between tasks,
// and a task that is posted on the loop's own thread meets no lock.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

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

  // Works until stop(), which ends this run, or the next one if there is none now.
  void run();
  void stop();

  // Works until `condition` holds or the patience is at its end; says which. For tests and tools.
  bool run_until(const std::function<bool()>& condition, base::Duration patience);

  boost::asio::io_context& context() { return context_; }
  Readiness& readiness() { return readiness_; }

 private:
  // What a descriptor has to tell, then up to `most` of the tasks that are there, then the timers
  // that are due. Waits first if there is nothing of it, but not beyond `latest`.
  void turn(size_t most, base::Instant latest);
  void run_tasks(size_t most);
  void hear_descriptors(base::Instant latest);
  void wait_for_descriptors(base::Instant until);
  void ring();

  void take_posted();
  bool may_sleep();
  void wake();
  bool is_over() { return is_stopped_.load(std::memory_order_relaxed); }

  boost::asio::io_context context_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  Readiness readiness_;
  base::SchedulingClock clock_;
  TimerHeap timers_;

  std::atomic<std::thread::id> owner_;  // who runs it, or ran it last
  std::atomic<bool> is_stopped_ = false;
  std::deque<Task> tasks_;  // the owner's alone

  std::mutex mutex_;
  std::vector<Task> posted_;  // by others; guarded by the mutex
  bool is_asleep_ = false;    // guarded by the mutex
};

}  // namespace net
