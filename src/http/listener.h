// Accepts connections on one address. Several listeners may share it, one per reactor: the kernel
// spreads the connections over them (SO_REUSEPORT).
//
// A process without descriptors to spare does not spin: it says so, and tries again a little later.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/result.h"
#include "net/connection.h"
#include "net/loop.h"

namespace http {

class Listener {
 public:
  // The descriptor is non-blocking and the callee's.
  using OnConnection = std::function<void(int descriptor, const net::SocketAddress& peer)>;
  // The system has no descriptor left; whoever can close one should.
  using OnExhausted = std::function<void()>;

  // Port 0: any that is free.
  static base::Result<std::unique_ptr<Listener>> open(net::Loop& loop,
                                                      const net::SocketAddress& address);
  ~Listener();

  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  uint16_t port() const { return port_; }
  void start(OnConnection on_connection, OnExhausted on_exhausted);

 private:
  using Descriptor =
      boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type>;
  enum class Accepted : uint8_t { kOne, kNone, kExhausted };

  explicit Listener(net::Loop& loop);
  base::Result<void> bind_to(const net::SocketAddress& address);
  void await();
  void accept_next();
  Accepted accept_one();

  net::Loop& loop_;
  Descriptor descriptor_;
  uint16_t port_ = 0;
  OnConnection on_connection_;
  OnExhausted on_exhausted_;
  std::shared_ptr<Listener*> self_;  // what waiting calls hold on to; null when this is gone
};

}  // namespace http
