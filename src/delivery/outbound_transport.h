// Transport by an OutboundThread: gathers what a turn of the loop wants to send, has the requests
// prepared there, where everything about subscriptions and payloads is known, and hands them over
// together.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/flat_table.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "base/turn_end.h"
#include "delivery/outbound_thread.h"
#include "delivery/transport.h"

namespace delivery {

class OutboundTransport : public Transport {
 public:
  // Starts the thread. `home` is where send() and abandon() are called and outcomes are told; it
  // outlives the thread.
  OutboundTransport(base::Scheduler& home, OutboundThread& thread, RequestSource source);
  ~OutboundTransport() override;

  OutboundTransport(const OutboundTransport&) = delete;
  OutboundTransport& operator=(const OutboundTransport&) = delete;

  void send(const AttemptRequest& request, std::function<void(model::Outcome)> done) override;
  void abandon(AttemptId attempt) override;

 private:
  using Done = std::function<void(model::Outcome)>;

  void hand_over();
  void ended(std::vector<OutboundThread::Ended>& ended);

  base::Scheduler& home_;
  OutboundThread& thread_;
  RequestSource source_;
  base::FlatTable<Done, base::Placing::kByLowBits> attempts_;  // by id: not ended, not abandoned
  std::vector<OutboundThread::Order> orders_;                  // for the end of this turn
  std::vector<AttemptId> abandoned_;                           // likewise
  base::TurnEnd hand_over_;
  std::shared_ptr<bool> alive_;  // false for what comes after the end
};

}  // namespace delivery
