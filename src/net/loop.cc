#include "net/loop.h"

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

}  // namespace

// Only posting comes from other threads; descriptors and timers need no locks of Asio's.
Loop::Loop(base::Instant last_committed)
    : context_(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO),
      readiness_(context_),
      clock_(wall_now(), last_committed, monotonic()),
      alarm_(context_) {}

Loop::~Loop() = default;

base::Instant Loop::now() const { return clock_.at(monotonic()); }

base::Instant Loop::wall_clock() const { return wall_now(); }

void Loop::post(Task task) { boost::asio::post(context_, std::move(task)); }

base::Scheduler::TimerId Loop::call_at(base::Instant when, Task task) {
  const TimerId timer = timers_.add(when, std::move(task));
  arm();
  return timer;
}

// Asio's timer stays as it is: it rings once for nothing, which costs less than setting it anew.
void Loop::cancel(TimerId timer) { timers_.remove(timer); }

void Loop::arm() {
  const auto earliest = timers_.earliest();
  if (!earliest.has_value() || *earliest >= alarm_at_) {
    return;
  }
  alarm_at_ = *earliest;
  const base::Duration after_boot = *earliest - clock_.at(base::Duration());
  alarm_.expires_at(
      std::chrono::steady_clock::time_point(std::chrono::milliseconds(after_boot.count_ms())));
  alarm_.async_wait([this](const boost::system::error_code& error) {
    if (!error) {
      ring();
    }
  });
}

void Loop::ring() {
  alarm_at_ = base::Instant::never();
  // One sample: a task that sets a timer for now does not keep the others waiting.
  const base::Instant sample = now();
  while (auto task = timers_.take_due(sample)) {
    (*task)();
  }
  arm();
}

void Loop::run() {
  const auto work = boost::asio::make_work_guard(context_);
  context_.restart();
  context_.run();
}

void Loop::stop() { context_.stop(); }

bool Loop::run_until(const std::function<bool()>& condition, base::Duration patience) {
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(patience.count_ms());
  const auto work = boost::asio::make_work_guard(context_);
  context_.restart();
  while (!condition()) {
    if (context_.run_one_until(end) == 0) {
      return condition();
    }
  }
  return true;
}

}  // namespace net
