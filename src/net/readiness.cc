#include "net/readiness.h"

#include <cerrno>
#include <utility>

#include "base/check.h"

namespace net {
namespace {

constexpr uint32_t kEndings = EPOLLRDHUP | EPOLLHUP | EPOLLERR;

void note(Watch& watch, uint32_t events) {
  watch.has_ended = watch.has_ended || (events & kEndings) != 0;
  watch.may_read = watch.may_read || (events & (EPOLLIN | kEndings)) != 0;
  watch.may_write = watch.may_write || (events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0;
}

// Each of the two may end the connection, and with it the user.
void tell(Watch& watch) {
  const std::shared_ptr<Watch> kept = watch.shared_from_this();
  if (watch.user != nullptr && watch.awaits_read && watch.may_read) {
    watch.awaits_read = false;
    watch.user->on_readable();
  }
  if (watch.user != nullptr && watch.awaits_write && watch.may_write) {
    watch.awaits_write = false;
    watch.user->on_writable();
  }
}

}  // namespace

Readiness::Readiness(boost::asio::io_context& context, base::Scheduler& scheduler)
    : scheduler_(scheduler), epoll_(context.get_executor()), events_() {
  const int descriptor = epoll_create1(EPOLL_CLOEXEC);
  CHECK_GE(descriptor, 0);
  epoll_.assign(descriptor);
  wait();
}

bool Readiness::add(int descriptor, Watch& watch) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.ptr = &watch;
  return epoll_ctl(epoll_.native_handle(), EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void Readiness::forget(Watch& watch) {
  watch.user = nullptr;
  for (epoll_event& event : telling_) {
    if (event.data.ptr == &watch) {
      event.data.ptr = nullptr;
    }
  }
}

void Readiness::await_read(Watch& watch) {
  watch.awaits_read = true;
  if (watch.may_read) {
    put_in_line(watch);
  }
}

void Readiness::await_write(Watch& watch) {
  watch.awaits_write = true;
  if (watch.may_write) {
    put_in_line(watch);
  }
}

void Readiness::put_in_line(Watch& watch) {
  if (watch.is_in_line) {
    return;
  }
  watch.is_in_line = true;
  line_.push_back(watch.shared_from_this());
  if (line_.size() == 1) {
    scheduler_.post([this] { tell_line(); });
  }
}

void Readiness::tell_line() {
  for (const std::shared_ptr<Watch>& watch : std::exchange(line_, {})) {
    watch->is_in_line = false;
    tell(*watch);
  }
}

void Readiness::wait() {
  epoll_.async_wait(decltype(epoll_)::wait_read, [this](const boost::system::error_code& error) {
    if (!error) {
      take_events();
      wait();
    }
  });
}

std::span<epoll_event> Readiness::fetch(std::span<epoll_event> room) {
  const int count =
      epoll_wait(epoll_.native_handle(), room.data(), static_cast<int>(room.size()), 0);
  CHECK(count >= 0 || errno == EINTR);
  return room.first(count > 0 ? static_cast<size_t>(count) : 0);
}

void Readiness::take_events() {
  telling_ = fetch(events_);
  while (!telling_.empty()) {
    const epoll_event event = telling_.front();
    telling_ = telling_.subspan(1);
    if (auto* watch = static_cast<Watch*>(event.data.ptr)) {
      note(*watch, event.events);
      tell(*watch);
    }
  }
}

// Not into events_: this may be called by one who is being told.
void Readiness::look() {
  std::array<epoll_event, kAtOnce> room;  // NOLINT(*-member-init): only what is filled is read
  size_t seen = kAtOnce;
  while (seen == kAtOnce) {
    const std::span<epoll_event> events = fetch(room);
    seen = events.size();
    for (const epoll_event& event : events) {
      auto& watch = *static_cast<Watch*>(event.data.ptr);
      note(watch, event.events);
      if ((watch.awaits_read && watch.may_read) || (watch.awaits_write && watch.may_write)) {
        put_in_line(watch);
      }
    }
  }
}

}  // namespace net
