#include "tests/sim/checks/duplicates_check.h"

#include <fmt/format.h>

namespace checks {

void DuplicatesCheck::applied(base::Instant at, const ReceiverApplied& applied) {
  Sight& sight = sights_[applied.delivery];
  ++sight.applied;
  if (sight.applied > sight.excuses + 1) {
    report_.add("duplicate", at,
                fmt::format("delivery {:x} was applied {} times, but only {} attempts before were "
                            "lost or failed",
                            applied.delivery.value, sight.applied, sight.excuses));
  }
}

void DuplicatesCheck::ended(base::Instant /*at*/, const AttemptEnded& ended) {
  if (!model::is_success(ended.outcome) && ended.outcome.kind != model::OutcomeKind::kNotStarted) {
    ++sights_[ended.delivery].excuses;
  }
}

void DuplicatesCheck::excuse_in_flight(const EndpointTrack& endpoint) {
  for (const base::DeliveryId id : endpoint.unfinished) {
    const auto& flight = ledger_.delivery(id)->flight;
    // A failure that was reported has been counted already.
    const bool is_excused =
        flight.has_value() && (!flight->ended_at.is_set() || model::is_success(flight->outcome));
    sights_[id].excuses += is_excused ? 1 : 0;
  }
}

void DuplicatesCheck::crashed(base::Instant /*at*/) {
  for (const auto& [id, endpoint] : ledger_.endpoints()) {
    excuse_in_flight(endpoint);
  }
}

void DuplicatesCheck::shard_lost(base::Instant /*at*/, base::ShardId shard) {
  for (const auto& [id, endpoint] : ledger_.endpoints()) {
    if (id.shard() == shard) {
      excuse_in_flight(endpoint);
    }
  }
}

}  // namespace checks
