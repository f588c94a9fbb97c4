#include "delivery/outbound_transport.h"

#include <utility>

#include "base/check.h"

namespace delivery {

OutboundTransport::OutboundTransport(base::Scheduler& home, OutboundThread& thread,
                                     RequestSource source)
    : home_(home),
      thread_(thread),
      source_(std::move(source)),
      hand_over_(home, [this] { hand_over(); }),
      alive_(std::make_shared<bool>(true)) {
  thread_.start([this, &home = home_, alive = alive_](std::vector<OutboundThread::Ended> list) {
    home.post([this, alive, list = std::move(list)]() mutable {
      if (*alive) {
        ended(list);
      }
    });
  });
}

OutboundTransport::~OutboundTransport() { *alive_ = false; }

void OutboundTransport::send(const AttemptRequest& request, Done done) {
  const bool is_new = attempts_.emplace(request.id, std::move(done)).second;
  CHECK(is_new);
  source_(request, [this, alive = alive_, request](base::Result<PreparedRequest> made) {
    if (*alive && attempts_.contains(request.id)) {
      orders_.push_back({.attempt = request, .request = std::move(made)});
      hand_over_.ask();
    }
  });
}

void OutboundTransport::abandon(AttemptId attempt) {
  if (attempts_.erase(attempt) > 0) {
    abandoned_.push_back(attempt);
    hand_over_.ask();
  }
}

void OutboundTransport::hand_over() {
  thread_.take(std::exchange(orders_, {}), std::exchange(abandoned_, {}));
}

// An outcome may have been on its way when its attempt was abandoned.
void OutboundTransport::ended(std::vector<OutboundThread::Ended>& ended) {
  const std::shared_ptr<bool> alive = alive_;
  for (OutboundThread::Ended& one : ended) {
    const auto node = attempts_.extract(one.attempt);
    if (!node.empty()) {
      node.mapped()(std::move(one.outcome));
    }
    if (!*alive) {
      return;
    }
  }
}

}  // namespace delivery
