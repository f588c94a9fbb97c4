#include "tests/sim/checks/ramp_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace checks {
namespace {

// What came in this moment may not be known everywhere yet.
constexpr base::Duration kNewsTolerance = base::Duration::seconds(5);

}  // namespace

RampCheck::Ramp& RampCheck::current(base::EndpointId endpoint) {
  Ramp& ramp = ramps_[endpoint];
  const uint64_t number = ledger_.endpoint(endpoint).ramp;
  if (ramp.number != number) {
    ramp = {.number = number};
  }
  return ramp;
}

RampCheck::Ramp* RampCheck::ramp_of(base::DeliveryId delivery) {
  const DeliveryTrack* track = ledger_.delivery(delivery);
  if (track == nullptr || !track->flight.has_value() || !track->flight->is_drained) {
    return nullptr;
  }
  Ramp& ramp = current(track->queued.endpoint);
  return track->flight->ramp == ramp.number ? &ramp : nullptr;
}

void RampCheck::started(base::Instant at, const AttemptStarted& started) {
  const DeliveryTrack* track = ledger_.delivery(started.delivery.id);
  if (track == nullptr || track->flight.has_value() || started.is_probe ||
      started.lane != model::Lane::kRetry) {
    return;
  }
  const EndpointTrack& endpoint = ledger_.endpoint(track->queued.endpoint);
  if (track->queued.queued_at >= endpoint.circuit.released_at) {
    return;
  }
  check_order(at, *track, endpoint);
  Ramp& ramp = current(endpoint.id);
  ++ramp.in_flight;
  if (ramp.in_flight > ramp.most) {
    report_.add("ramp", at,
                fmt::format("delivery {:x} started as number {} in flight of what drains from "
                            "endpoint {:x}, at most {} since the release at {}",
                            started.delivery.id.value, ramp.in_flight, endpoint.id.value, ramp.most,
                            endpoint.circuit.released_at.ms()));
  }
}

// Nothing but the ramp is in its way, and that is no news.
bool RampCheck::is_free_to_go(base::Instant at, const DeliveryTrack& track) const {
  const model::SubscriptionSettings* const own = ledger_.subscription(track.queued.subscription);
  return (own == nullptr || !own->has_own_queue()) && !track.not_started_at.is_set() &&
         at - track.ready_since > kNewsTolerance &&
         !ledger_.is_removed(track.queued.subscription) &&
         !ledger_.is_cancel_asked(track.queued.id);
}

void RampCheck::check_order(base::Instant at, const DeliveryTrack& chosen,
                            const EndpointTrack& endpoint) {
  const model::DueKey key{.due = chosen.due, .delivery = chosen.queued.id};
  for (const model::DueKey& earlier : endpoint.ready) {
    if (earlier >= key) {
      return;
    }
    const DeliveryTrack& track = *ledger_.delivery(earlier.delivery);
    if (track.queued.queued_at < endpoint.circuit.released_at && is_free_to_go(at, track)) {
      report_.add(
          "drain-order", at,
          fmt::format("delivery {:x} (due at {}) drains before {:x}, which was due at {}",
                      key.delivery.value, key.due.ms(), earlier.delivery.value, earlier.due.ms()));
      return;
    }
  }
}

void RampCheck::ended(base::Instant /*at*/, const AttemptEnded& ended) {
  Ramp* ramp = ramp_of(ended.delivery);
  if (ramp != nullptr && ended.outcome.kind == model::OutcomeKind::kNotStarted) {
    --ramp->in_flight;
  }
}

void RampCheck::submitted(base::Instant /*at*/, const model::Section& section) {
  for (const model::DeliveryChange& change : section.deliveries) {
    Ramp* ramp = change.attempt.has_value() ? ramp_of(change.delivery) : nullptr;
    if (ramp != nullptr) {
      count(*ramp, model::is_success(change.attempt->outcome));
    }
  }
}

void RampCheck::count(Ramp& ramp, bool is_success) const {
  if (!is_success) {
    ramp.most = std::max(1U, ramp.most / 2);
    ramp.successes = 0;
  } else if (++ramp.successes >= ramp.most) {
    ramp.most = std::min(ramp.most * 2, std::max(1U, settings().endpoint_in_flight_max / 2));
    ramp.successes = 0;
  }
}

void RampCheck::committed(base::Instant /*at*/, const model::Section& section) {
  for (const model::DeliveryChange& change : section.deliveries) {
    Ramp* ramp = change.attempt.has_value() ? ramp_of(change.delivery) : nullptr;
    if (ramp != nullptr) {
      --ramp->in_flight;
    }
  }
}

}  // namespace checks
