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
  Done& kept = attempts_.at(static_cast<uint64_t>(request.id));
  CHECK(kept == nullptr);
  kept = std::move(done);
  source_(request, [this, alive = alive_, request](base::Result<PreparedRequest> made) {
    if (*alive && attempts_.find(static_cast<uint64_t>(request.id)) != nullptr) {
      orders_.push_back({.attempt = request, .request = std::move(made)});
      hand_over_.ask();
    }
  });
}

void OutboundTransport::abandon(AttemptId attempt) {
  if (attempts_.erase(static_cast<uint64_t>(attempt))) {
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
    const Done done = attempts_.take(static_cast<uint64_t>(one.attempt));
    if (done != nullptr) {
      done(std::move(one.outcome));
    }
    if (!*alive) {
      return;
    }
  }
}

}  // namespace delivery
