// Scripted receivers: what a receiver does with an attempt is a function of time, not of chance
// inside the transport.
#pragma once

#include <functional>
#include <set>

#include "base/time.h"
#include "delivery/transport.h"
#include "model/outcome.h"
#include "sim/timeline.h"

namespace sim {

struct Reply {
  base::Duration delay;  // cut off at the deadline, then the outcome is a timeout
  model::Outcome outcome;
  bool is_applied = true;  // the receiver acted on the request, whatever became of its answer
  // Breaks the transport's contract: no answer ever. For testing that tests notice.
  bool is_swallowed = false;
};

class SimTransport : public delivery::Transport {
 public:
  using Script = std::function<Reply(const delivery::AttemptRequest&)>;
  struct Hooks {
    std::function<void(const delivery::AttemptRequest&)> started;
    std::function<void(const delivery::AttemptRequest&, const model::Outcome&)> ended;
    std::function<void(const delivery::AttemptRequest&)> applied;
  };

  SimTransport(base::Scheduler& scheduler, Script script, Hooks hooks);

  void send(const delivery::AttemptRequest& request,
            std::function<void(model::Outcome)> done) override;
  void abandon(delivery::AttemptId attempt) override;

 private:
  base::Scheduler& scheduler_;
  Script script_;
  Hooks hooks_;
  std::set<delivery::AttemptId> abandoned_;
};

}  // namespace sim
