// The inbound HTTP/1.1 server of one reactor: accepts on the loop, reads requests strictly, hands
// them to a Site, sends the answers. Everything a client can make large, many or slow has a bound.
//
// One server per loop; several may listen on the same address. It speaks no TLS: a proxy in front
// does, and the only code that would change is Session's Connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/result.h"
#include "base/time.h"
#include "http/listener.h"
#include "http/options.h"
#include "http/sessions.h"
#include "net/connection.h"
#include "net/loop.h"

namespace http {

class Server {
 public:
  // Listens from now on. The loop outlives the server; the server is destroyed on its thread, or
  // while nobody runs it.
  static base::Result<std::unique_ptr<Server>> listen(net::Loop& loop,
                                                      const net::SocketAddress& address,
                                                      const ServerOptions& options,
                                                      const Site& site);
  // Cuts every connection.
  ~Server();

  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  uint16_t port() const { return port_; }
  size_t connections() const { return sessions_.size(); }
  const ServerCounts& counts() const { return sessions_.counts(); }

  // Accepts nobody any more, answers what is under way, then ends; connections that are not done
  // after `limit` are cut. `done` runs when none is left. At most once.
  void drain(base::Duration limit, std::function<void()> done);

 private:
  Server(net::Loop& loop, std::unique_ptr<Listener> listener, const ServerOptions& options,
         const Site& site);
  void check_patience();

  net::Loop& loop_;
  uint16_t port_;
  Sessions sessions_;
  std::unique_ptr<Listener> listener_;  // null once draining
  base::Scheduler::TimerId patience_timer_ = base::Scheduler::TimerId::kNone;
  base::Scheduler::TimerId drain_timer_ = base::Scheduler::TimerId::kNone;
};

}  // namespace http
