#include "delivery/outbound_thread.h"

#include <pthread.h>

#include <utility>

#include "base/check.h"

namespace delivery {

base::Result<std::unique_ptr<OutboundThread>> OutboundThread::make(
    const net::ClientOptions& options, std::string user_agent) {
  auto loop = std::make_unique<net::Loop>();
  TRY(auto client, net::HttpClient::make(*loop, options));
  return std::unique_ptr<OutboundThread>(
      new OutboundThread(std::move(loop), std::move(client), std::move(user_agent)));
}

OutboundThread::OutboundThread(std::unique_ptr<net::Loop> loop,
                               std::unique_ptr<net::HttpClient> client, std::string user_agent)
    : loop_(std::move(loop)),
      client_(std::move(client)),
      transport_(
          *loop_, *client_,
          [this](const AttemptRequest&, const PrepareDone& done) {
            done(std::move(beginning_->request));
          },
          std::move(user_agent)),
      tell_ended_(*loop_, [this] { tell_(std::exchange(ended_, {})); }) {}

OutboundThread::~OutboundThread() {
  if (thread_.joinable()) {
    loop_->stop();
    thread_.join();
  }
}

void OutboundThread::start(Tell tell) {
  CHECK(!thread_.joinable());
  tell_ = std::move(tell);
  thread_ = std::thread([this] { loop_->run(); });
  pthread_setname_np(thread_.native_handle(), "outbound");
}

void OutboundThread::take(std::vector<Order> orders, std::vector<AttemptId> abandoned) {
  loop_->post([this, orders = std::move(orders), abandoned = std::move(abandoned)]() mutable {
    for (Order& order : orders) {
      begin(order);
    }
    for (const AttemptId attempt : abandoned) {
      transport_.abandon(attempt);
    }
  });
}

void OutboundThread::begin(Order& order) {
  beginning_ = &order;
  transport_.send(order.attempt, [this, id = order.attempt.id](model::Outcome outcome) {
    ended(id, std::move(outcome));
  });
  beginning_ = nullptr;
}

void OutboundThread::ended(AttemptId attempt, model::Outcome outcome) {
  ended_.push_back({.attempt = attempt, .outcome = std::move(outcome)});
  tell_ended_.ask();
}

}  // namespace delivery
