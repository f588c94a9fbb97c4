#include "server/counted_transport.h"

#include <algorithm>
#include <utility>

namespace server {
namespace {

using observe::AttemptResult;
using observe::Metric;

void count_outcome(observe::Metrics& metrics, const model::Outcome& outcome) {
  metrics.add(Metric::kAttemptOutcomes, outcome.kind);
  if (outcome.kind != model::OutcomeKind::kNotStarted) {
    metrics.add(Metric::kAttempts,
                model::is_success(outcome) ? AttemptResult::kSuccess : AttemptResult::kFailure);
  }
}

}  // namespace

void CountedTransport::send(const delivery::AttemptRequest& request,
                            std::function<void(model::Outcome)> done) {
  // A probe waits for its turn, not for its slot.
  if (!request.is_probe) {
    const base::Duration late = std::max(scheduler_.now() - request.delivery.due, base::Duration());
    metrics_.observe(Metric::kDueLateness, static_cast<double>(late.count_ms()) / 1000);
  }
  transport_.send(request, [&metrics = metrics_, done = std::move(done)](model::Outcome outcome) {
    count_outcome(metrics, outcome);
    done(std::move(outcome));
  });
}

}  // namespace server
