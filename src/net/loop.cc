#include "net/loop.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <iterator>
#include <utility>

namespace net {
namespace {

base::Duration monotonic() {
  const auto elapsed = std::chrono::steady_clock::now().time_since_epoch();
  return base::Duration::ms(std::chrono::floor<std::chrono::milliseconds>(elapsed).count());
}

base::Instant wall_now() {
  const auto elapsed = std::chrono::system_clock::now().time_since_epoch();
  return base::Instant::from_ms(std::chrono::floor<std::chrono::milliseconds>(elapsed).count());
}

// How many tasks may run before descriptors and timers have their turn.
constexpr size_t kTasksAtOnce = 64;

}  // namespace

// Only waking comes from other threads; descriptors need no locks of Asio's.
Loop::Loop(base::Instant last_committed)
    : context_(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO),
      work_(context_.get_executor()),
      readiness_(context_, *this),
      clock_(wall_now(), last_committed, monotonic()) {}

Loop::~Loop() = default;

base::Instant Loop::now() const { return clock_.at(monotonic()); }

base::Instant Loop::wall_clock() const { return wall_now(); }

void Loop::post(Task task) {
  if (owner_.load(std::memory_order_relaxed) == std::this_thread::get_id()) {
    tasks_.push_back(std::move(task));
    return;
  }
  bool must_wake = false;
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(task));
    must_wake = std::exchange(is_asleep_, false);
  }
  if (must_wake) {
    wake();
  }
}

base::Scheduler::TimerId Loop::call_at(base::Instant when, Task task) {
  return timers_.add(when, std::move(task));
}

void Loop::cancel(TimerId timer) { timers_.remove(timer); }

void Loop::wake() {
  boost::asio::post(context_, [] {});
}

void Loop::take_posted() {
  const std::lock_guard lock(mutex_);
  std::ranges::move(posted_, std::back_inserter(tasks_));
  posted_.clear();
}

// From here on whoever posts a task wakes the loop.
bool Loop::may_sleep() {
  const std::lock_guard lock(mutex_);
  is_asleep_ = posted_.empty();
  return is_asleep_;
}

// Not those that they post in turn.
void Loop::run_tasks(size_t most) {
  for (size_t left = std::min(most, tasks_.size()); left > 0 && !is_over(); --left) {
    const Task task = std::move(tasks_.front());
    tasks_.pop_front();
    task();
  }
}

void Loop::wait_for_descriptors(base::Instant until) {
  if (until == base::Instant::never()) {
    context_.run_one();
    return;
  }
  const base::Duration after_boot = until - clock_.at(base::Duration());
  const std::chrono::steady_clock::time_point when(
      std::chrono::milliseconds(after_boot.count_ms()));
  if (context_.run_one_until(when) == 0) {
    context_.poll_one();  // timers that are always due must not keep descriptors from being heard
  }
}

void Loop::hear_descriptors(base::Instant latest) {
  if (is_over() || !tasks_.empty() || !may_sleep()) {
    context_.poll_one();
    return;
  }
  wait_for_descriptors(std::min(timers_.earliest().value_or(latest), latest));
  const std::lock_guard lock(mutex_);
  is_asleep_ = false;
}

void Loop::ring() {
  // One sample: a task that sets a timer for now does not keep the others waiting.
  const base::Instant sample = now();
  while (auto task = timers_.take_due(sample)) {
    (*task)();
  }
}

void Loop::turn(size_t most, base::Instant latest) {
  hear_descriptors(latest);
  take_posted();
  run_tasks(most);
  ring();
}

void Loop::run() {
  owner_ = std::this_thread::get_id();
  while (!is_over()) {
    turn(kTasksAtOnce, base::Instant::never());
  }
  is_stopped_ = false;
}

void Loop::stop() {
  is_stopped_ = true;
  if (owner_.load(std::memory_order_relaxed) != std::this_thread::get_id()) {
    wake();
  }
}

bool Loop::run_until(const std::function<bool()>& condition, base::Duration patience) {
  owner_ = std::this_thread::get_id();
  const base::Instant end = now() + patience;
  while (!condition()) {
    if (is_stopped_.exchange(false) || now() >= end) {
      return false;
    }
    turn(1, end);
  }
  return true;
}

}  // namespace net
