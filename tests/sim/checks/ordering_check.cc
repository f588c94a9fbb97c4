#include "tests/sim/checks/ordering_check.h"

#include <fmt/format.h>

namespace checks {

void OrderingCheck::started(base::Instant at, const AttemptStarted& started) {
  const DeliveryTrack* track = ledger_.delivery(started.delivery.id);
  if (track == nullptr || !track->is_ordered || track->end_durable.has_value()) {
    return;
  }
  const model::Delivery& queued = track->queued;
  const base::DeliveryId first = ledger_.first_of({queued.subscription, queued.object});
  if (first != queued.id) {
    report_.add("out-of-order", at,
                fmt::format("delivery {:x} started, but {:x} of the same object is unfinished",
                            queued.id.value, first.value));
  }
}

}  // namespace checks
