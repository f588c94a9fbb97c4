#include "http/server.h"

#include <utility>

#include "base/check.h"

namespace http {

base::Result<std::unique_ptr<Server>> Server::listen(net::Loop& loop,
                                                     const net::SocketAddress& address,
                                                     const ServerOptions& options,
                                                     const Site& site) {
  TRY(std::unique_ptr<Listener> listener, Listener::open(loop, address));
  return std::unique_ptr<Server>(new Server(loop, std::move(listener), options, site));
}

Server::Server(net::Loop& loop, std::unique_ptr<Listener> listener, const ServerOptions& options,
               const Site& site)
    : loop_(loop),
      port_(listener->port()),
      sessions_(loop, options, site),
      listener_(std::move(listener)) {
  listener_->start(
      [this](int descriptor, const net::SocketAddress& peer) { sessions_.admit(descriptor, peer); },
      [this] { sessions_.evict_idle(); });
  check_patience();
}

Server::~Server() {
  loop_.cancel(patience_timer_);
  loop_.cancel(drain_timer_);
}

void Server::drain(base::Duration limit, std::function<void()> done) {
  CHECK(listener_ != nullptr);
  listener_.reset();
  sessions_.drain(std::move(done));
  drain_timer_ = loop_.call_at(loop_.now() + limit, [this] { sessions_.close_all(); });
}

void Server::check_patience() {
  sessions_.end_overdue();
  patience_timer_ = loop_.call_at(loop_.now() + sessions_.options().patience_check_interval,
                                  [this] { check_patience(); });
}

}  // namespace http
