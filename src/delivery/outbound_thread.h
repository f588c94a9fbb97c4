// A thread that talks to receivers: HttpTransport and its client on a loop of their own.
//
// Signatures, TLS, sockets and answers are most of what a delivery costs, and none of it takes part
// in a decision. What is handed over are whole requests, and what comes back are outcomes, many at
// a time, because each hand-over may have to wake a thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/turn_end.h"
#include "delivery/http_transport.h"
#include "delivery/transport.h"
#include "net/http_client.h"
#include "net/loop.h"

namespace delivery {

class OutboundThread {
 public:
  struct Order {
    AttemptRequest attempt;
    base::Result<PreparedRequest> request;
  };
  struct Ended {
    AttemptId attempt{};
    model::Outcome outcome;
  };
  // Runs on this thread.
  using Tell = std::function<void(std::vector<Ended>)>;

  static base::Result<std::unique_ptr<OutboundThread>> make(const net::ClientOptions& options,
                                                            std::string user_agent);
  // Ends the thread. What is under way is dropped.
  ~OutboundThread();

  OutboundThread(const OutboundThread&) = delete;
  OutboundThread& operator=(const OutboundThread&) = delete;

  // Once, before anything is handed over.
  void start(Tell tell);

  // From any one thread, in order. An attempt that is abandoned in the same call is never seen.
  void take(std::vector<Order> orders, std::vector<AttemptId> abandoned);

  // From any thread.
  size_t open_connections() const { return client_->open_connections(); }

 private:
  OutboundThread(std::unique_ptr<net::Loop> loop, std::unique_ptr<net::HttpClient> client,
                 std::string user_agent);

  void begin(Order& order);
  void ended(AttemptId attempt, model::Outcome outcome);

  std::unique_ptr<net::Loop> loop_;
  std::unique_ptr<net::HttpClient> client_;
  Order* beginning_ = nullptr;  // what the transport asks for while send() runs
  HttpTransport transport_;
  std::vector<Ended> ended_;  // in this turn
  base::TurnEnd tell_ended_;
  Tell tell_;
  std::thread thread_;
};

}  // namespace delivery
