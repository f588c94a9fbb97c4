#include "tests/sim/checks/ramp_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace checks {

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
