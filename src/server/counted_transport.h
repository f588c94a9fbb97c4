// A transport that counts: how attempts end, and how late they start. It changes nothing of what
// passes through.
#pragma once

#include <functional>

#include "base/scheduler.h"
#include "delivery/transport.h"
#include "observe/metrics.h"

namespace server {

class CountedTransport : public delivery::Transport {
 public:
  // All of them outlive it.
  CountedTransport(delivery::Transport& transport, observe::Metrics& metrics,
                   const base::Scheduler& scheduler)
      : transport_(transport), metrics_(metrics), scheduler_(scheduler) {}

  void send(const delivery::AttemptRequest& request,
            std::function<void(model::Outcome)> done) override;
  void abandon(delivery::AttemptId attempt) override { transport_.abandon(attempt); }

 private:
  delivery::Transport& transport_;
  observe::Metrics& metrics_;
  const base::Scheduler& scheduler_;
};

}  // namespace server
