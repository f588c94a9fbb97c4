#include "tests/sim/checks/publishes_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace checks {

void PublishesCheck::submitted(base::Instant at, const model::Section& section) {
  const auto is_operational = [&](const model::DeliveryChange& change) {
    const DeliveryTrack* track = ledger_.delivery(change.delivery);
    return track != nullptr && track->queued.operational;
  };
  // A command's transition has no delivery in its section and may be published.
  if (!section.publishes.empty() && !section.deliveries.empty() &&
      std::ranges::all_of(section.deliveries, is_operational)) {
    report_.add("operational-echo", at,
                fmt::format("section {} publishes, but only operational delivery {:x} caused it",
                            section.number, section.deliveries.front().delivery.value));
  }
}

}  // namespace checks
