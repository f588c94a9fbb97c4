// Which connections can be read or written: an epoll of our own inside the loop's.
//
// Asio asks the kernel anew for each wait. Here a connection is registered once, for both
// directions and for changes only (edge-triggered); what the kernel has told is kept with the
// connection until a read or a write finds that it no longer holds. So waiting costs no system
// call, and all that is ready is fetched with one.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/scheduler.h"

namespace net {

class ConnectionUser {
 public:
  virtual ~ConnectionUser() = default;
  // May destroy the connection.
  virtual void on_readable() = 0;
  virtual void on_writable() = 0;
};

// What is known of one connection, and who waits for it to change.
struct Watch : std::enable_shared_from_this<Watch> {
  ConnectionUser* user = nullptr;
  bool awaits_read = false;
  bool awaits_write = false;
  bool may_read = false;  // the kernel said so, and no read has found otherwise
  bool may_write = false;
  bool has_ended = false;   // nothing will come after what is there, so no change will be told
  bool is_in_line = false;  // to be told in the next turn
};

class Readiness {
 public:
  // `scheduler` is the one that runs `context`.
  Readiness(boost::asio::io_context& context, base::Scheduler& scheduler);

  Readiness(const Readiness&) = delete;
  Readiness& operator=(const Readiness&) = delete;

  // False if the system cannot watch one more. `watch` is forgotten before it goes.
  bool add(int descriptor, Watch& watch);
  // The descriptor is closed by whoever owns it.
  void forget(Watch& watch);

  // Notes what the kernel has to tell up to this moment, without waiting for it. Who waits for that
  // is told in this turn or a later one.
  void look();

  // The user is told once, in this turn or a later one, never inside the call.
  void await_read(Watch& watch);
  void await_write(Watch& watch);

 private:
  static constexpr size_t kAtOnce = 256;

  void put_in_line(Watch& watch);
  void tell_line();
  void wait();
  void take_events();
  std::span<epoll_event> fetch(std::span<epoll_event> room);

  base::Scheduler& scheduler_;
  boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type> epoll_;
  std::array<epoll_event, kAtOnce> events_;
  std::span<epoll_event> telling_;            // of events_: not told yet; null for who is gone
  std::vector<std::shared_ptr<Watch>> line_;  // ready without the kernel's saying so again
};

}  // namespace net
