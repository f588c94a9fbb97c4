#include "tests/sim/checks/publishes_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace checks {

void PublishesCheck::submitted(base::Instant at, const model::Section& section) {
  const auto is_operational = [&](const model::DeliveryChange& change) {
    const DeliveryTrack* track = ledger_.delivery(change.delivery);
    return track != nullptr && track->queued.operational;
  };
  // What a person brought about may be published, whatever else ends in the same section.
  const bool is_by_hand = std::ranges::any_of(section.transitions, [](const auto& transition) {
    return transition.reason == model::TransitionReason::kEnabledByHand;
  });
  if (!section.publishes.empty() && !section.deliveries.empty() && !is_by_hand &&
      std::ranges::all_of(section.deliveries, is_operational)) {
    report_.add("operational-echo", at,
                fmt::format("section {} publishes, but only operational delivery {:x} caused it",
                            section.number, section.deliveries.front().delivery.value));
  }
}

}  // namespace checks
