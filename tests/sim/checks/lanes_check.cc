#include "tests/sim/checks/lanes_check.h"

#include <fmt/format.h>

namespace checks {

void LanesCheck::started(base::Instant at, const AttemptStarted& started) {
  const DeliveryTrack* track = ledger_.delivery(started.delivery.id);
  if (track == nullptr) {
    return;
  }
  const model::Delivery& queued = track->queued;
  const base::Instant released_at = ledger_.endpoint(queued.endpoint).circuit.released_at;
  const bool is_first = track->attempts_submitted == 0 && !started.is_probe &&
                        queued.range == model::DueRange::kFirst;
  const bool is_fresh = is_first && queued.queued_at >= released_at;
  if (is_fresh != (started.lane == model::Lane::kFresh)) {
    report_.add("wrong-lane", at,
                fmt::format("attempt {} of delivery {:x} (queued at {}, last release at {}) is in "
                            "the {} lane",
                            started.number, queued.id.value, queued.queued_at.ms(),
                            released_at.ms(), is_fresh ? "retry" : "fresh"));
  }
}

}  // namespace checks
