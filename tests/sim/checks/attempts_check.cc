#include "tests/sim/checks/attempts_check.h"

#include <fmt/format.h>

namespace checks {

void AttemptsCheck::started(base::Instant at, const AttemptStarted& started) {
  const uint64_t id = started.delivery.id.value;
  const DeliveryTrack* track = ledger_.delivery(started.delivery.id);
  if (track == nullptr) {
    report_.add("unknown-delivery", at,
                fmt::format("delivery {:x} started, but was never queued", id));
    return;
  }
  if (track->flight.has_value()) {
    report_.add("one-in-flight", at,
                fmt::format("attempt {} of delivery {:x} started while attempt {} was in flight",
                            started.number, id, track->flight->number));
    return;
  }
  if (started.number != track->attempts_durable + 1) {
    report_.add("attempt-number", at,
                fmt::format("attempt {} of delivery {:x} started, but {} are durable",
                            started.number, id, track->attempts_durable));
  }
  if (started.delivery.attempts + 1 != started.number) {
    report_.add("attempt-number", at,
                fmt::format("attempt {} of delivery {:x} started, which counts {} failures",
                            started.number, id, started.delivery.attempts));
  }
  const base::Instant again_at = track->not_started_at + settings().own_failure_delay;
  if (track->not_started_at.is_set() && at < again_at) {
    report_.add("own-failure-delay", at,
                fmt::format("delivery {:x} started again {} ms after it could not start", id,
                            (at - track->not_started_at).count_ms()));
  }
}

void AttemptsCheck::ended(base::Instant at, const AttemptEnded& ended) {
  const DeliveryTrack* track = ledger_.delivery(ended.delivery);
  const bool is_expected =
      track != nullptr && track->flight.has_value() && !track->flight->ended_at.is_set();
  if (!is_expected) {
    report_.add("outcome-without-attempt", at,
                fmt::format("delivery {:x} ended an attempt that it did not have in flight",
                            ended.delivery.value));
  }
}

void AttemptsCheck::submitted(base::Instant at, const model::Section& section) {
  for (const model::DeliveryChange& change : section.deliveries) {
    if (change.attempt.has_value()) {
      check_written(at, *change.attempt);
    }
  }
}

void AttemptsCheck::check_written(base::Instant at, const model::Attempt& attempt) {
  const uint64_t id = attempt.delivery.value;
  const DeliveryTrack* track = ledger_.delivery(attempt.delivery);
  if (track == nullptr || !track->flight.has_value() || !track->flight->ended_at.is_set() ||
      track->attempts_submitted >= attempt.number) {
    report_.add("written-attempt", at,
                fmt::format("attempt {} of delivery {:x} was written, but none has just ended",
                            attempt.number, id));
    return;
  }
  const Flight& flight = *track->flight;
  const bool is_true = attempt.number == flight.number && attempt.outcome == flight.outcome &&
                       attempt.started_at == flight.started_at && attempt.lane == flight.lane &&
                       attempt.finished_at == flight.ended_at &&
                       attempt.is_probe == flight.is_probe &&
                       attempt.endpoint == track->queued.endpoint;
  if (!is_true) {
    report_.add("written-attempt", at,
                fmt::format("attempt {} of delivery {:x} was written as number {}, {} to {}, "
                            "status {}, but it was {} to {}, status {}",
                            flight.number, id, attempt.number, attempt.started_at.ms(),
                            attempt.finished_at.ms(), attempt.outcome.status,
                            flight.started_at.ms(), flight.ended_at.ms(), flight.outcome.status));
  }
}

}  // namespace checks
