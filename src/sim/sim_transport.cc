#include "sim/sim_transport.h"

#include <utility>

namespace sim {

SimTransport::SimTransport(base::Scheduler& scheduler, Script script, Hooks hooks)
    : scheduler_(scheduler), script_(std::move(script)), hooks_(std::move(hooks)) {}

void SimTransport::send(const delivery::AttemptRequest& request,
                        std::function<void(model::Outcome)> done) {
  if (hooks_.started) {
    hooks_.started(request);
  }
  Reply reply = script_(request);
  if (reply.is_swallowed) {
    return;
  }
  if (reply.delay >= request.deadline) {
    reply.delay = request.deadline;
    reply.outcome = {.kind = model::OutcomeKind::kTimeout};
  }
  scheduler_.call_at(scheduler_.now() + reply.delay,
                     [this, request, reply, done = std::move(done)] {
                       if (reply.is_applied && hooks_.applied) {
                         hooks_.applied(request);
                       }
                       if (abandoned_.erase(request.id) > 0) {
                         return;
                       }
                       if (hooks_.ended) {
                         hooks_.ended(request, reply.outcome);
                       }
                       done(reply.outcome);
                     });
}

void SimTransport::abandon(delivery::AttemptId attempt) { abandoned_.insert(attempt); }

}  // namespace sim
