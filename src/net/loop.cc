#include "net/loop.h"

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
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

// How many tasks may run before timers have their turn.
constexpr size_t kTasksAtOnce = 64;

}  // namespace

// Only posting comes from other threads; descriptors need no locks of Asio's.
Loop::Loop(base::Instant last_committed)
    : context_(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO),
      readiness_(context_),
      clock_(wall_now(), last_committed, monotonic()) {}

Loop::~Loop() = default;

base::Instant Loop::now() const { return clock_.at(monotonic()); }

base::Instant Loop::wall_clock() const { return wall_now(); }

void Loop::post(Task task) { boost::asio::post(context_, std::move(task)); }

base::Scheduler::TimerId Loop::call_at(base::Instant when, Task task) {
  return timers_.add(when, std::move(task));
}

void Loop::cancel(TimerId timer) { timers_.remove(timer); }

// Runs one task as soon as there is one. Nothing if there is none until then.
size_t Loop::wait_for_task(base::Instant until) {
  if (until == base::Instant::never()) {
    return context_.run_one();
  }
  const base::Duration after_boot = until - clock_.at(base::Duration());
  return context_.run_one_until(
      std::chrono::steady_clock::time_point(std::chrono::milliseconds(after_boot.count_ms())));
}

void Loop::ring() {
  // One sample: a task that sets a timer for now does not keep the others waiting.
  const base::Instant sample = now();
  while (auto task = timers_.take_due(sample)) {
    (*task)();
  }
}

void Loop::turn(size_t most, base::Instant latest) {
  size_t ran = wait_for_task(std::min(timers_.earliest().value_or(latest), latest));
  if (ran == 0) {
    ran = context_.poll_one();  // timers that are always due must not keep tasks from running
  }
  while (ran > 0 && ran < most && context_.poll_one() > 0) {
    ++ran;
  }
  ring();
}

void Loop::run() {
  const auto work = boost::asio::make_work_guard(context_);
  context_.restart();
  while (!context_.stopped()) {
    turn(kTasksAtOnce, base::Instant::never());
  }
}

void Loop::stop() { context_.stop(); }

bool Loop::run_until(const std::function<bool()>& condition, base::Duration patience) {
  const base::Instant end = now() + patience;
  const auto work = boost::asio::make_work_guard(context_);
  context_.restart();
  while (!condition()) {
    if (context_.stopped() || now() >= end) {
      return false;
    }
    turn(1, end);
  }
  return true;
}

}  // namespace net
