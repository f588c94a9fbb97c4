#include "tests/sim/checks/slots_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/sim/checks/section_effect.h"
#include "tests/sim/checks/words.h"

namespace checks {
namespace {

constexpr base::Duration kStartTime = base::Duration::seconds(2);
constexpr base::Duration kDropTolerance = base::Duration::seconds(60);
// Keeps the check cheap when thousands are overdue at once; the first of them tell.
constexpr int kLooksMax = 16;
constexpr base::Duration kTroubleTail = base::Duration::seconds(30);

}  // namespace

void SlotsCheck::queued(base::Instant at, const Queued& queued) {
  for (const model::Delivery& delivery : queued.deliveries) {
    const SlotRange last =
        SlotTable(ledger_.policy(delivery.subscription)).last_slot(delivery.queued_at);
    if (!last.holds(delivery.last_slot)) {
      report_.add("last-slot", at,
                  fmt::format("delivery {:x} queued at {} has its last slot at {}, not {}",
                              delivery.id.value, delivery.queued_at.ms(), delivery.last_slot.ms(),
                              last.earliest.ms()));
    }
  }
}

void SlotsCheck::started(base::Instant at, const AttemptStarted& started) {
  const DeliveryTrack* track = ledger_.delivery(started.delivery.id);
  if (track != nullptr && at < track->due) {
    report_.add("started-before-due", at,
                fmt::format("attempt {} of delivery {:x} started {} ms before it was due at {}",
                            started.number, started.delivery.id.value, (track->due - at).count_ms(),
                            track->due.ms()));
  }
}

void SlotsCheck::submitted(base::Instant at, const model::Section& section) {
  for (const model::DeliveryChange& change : section.deliveries) {
    const DeliveryTrack* track = ledger_.delivery(change.delivery);
    if (track == nullptr) {
      continue;
    }
    if (change.attempt.has_value()) {
      check_after_attempt(at, change, *track);
    } else if (change.end.has_value()) {
      check_untried_end(at, change, *track);
    } else if (change.placed.has_value()) {
      check_moved(at, *change.placed, *track);
    }
  }
  const DeliveryTrack* first =
      section.deliveries.empty() ? nullptr : ledger_.delivery(section.deliveries.front().delivery);
  if (first != nullptr) {
    check_stale(at, ledger_.endpoint(first->queued.endpoint));
  }
}

bool SlotsCheck::may_be_cancelled(const DeliveryTrack& track) const {
  return ledger_.is_removed(track.queued.subscription) || ledger_.is_cancel_asked(track.queued.id);
}

void SlotsCheck::check_after_attempt(base::Instant at, const model::DeliveryChange& change,
                                     const DeliveryTrack& track) {
  if (change.end == model::EndState::kCancelled) {
    if (!may_be_cancelled(track)) {
      report_.add(
          "cancelled-unasked", at,
          fmt::format("delivery {:x} was cancelled, but nobody asked", change.delivery.value));
    }
  } else if (model::is_success(change.attempt->outcome)) {
    check_after_success(at, change);
  } else {
    check_after_failure(at, change, track);
  }
}

void SlotsCheck::check_after_success(base::Instant at, const model::DeliveryChange& change) {
  if (change.end != model::EndState::kDelivered) {
    report_.add("success-not-delivered", at,
                fmt::format("attempt {} of delivery {:x} succeeded, but it is not delivered",
                            change.attempt->number, change.delivery.value));
  }
}

void SlotsCheck::check_after_failure(base::Instant at, const model::DeliveryChange& change,
                                     const DeliveryTrack& track) {
  const SlotTable table(ledger_.policy(track.queued.subscription));
  const SlotTable::Failure failure{.queued_at = track.queued.queued_at,
                                   .at = change.attempt->finished_at,
                                   .number = change.attempt->number};
  const uint64_t id = change.delivery.value;
  if (change.end == model::EndState::kDelivered || (!change.end && !change.placed)) {
    report_.add("failure-without-next", at,
                fmt::format("attempt {} of delivery {:x} failed, but it is {}", failure.number, id,
                            change.end ? "delivered" : "neither placed nor dropped"));
    return;
  }
  if (change.end.has_value()) {
    if (!table.allows_drop(failure)) {
      report_.add("dropped-too-early", at,
                  fmt::format("delivery {:x}, queued at {}, was dropped after attempt {} failed at "
                              "{}, but a slot is left",
                              id, failure.queued_at.ms(), failure.number, failure.at.ms()));
    }
    return;
  }
  const base::Duration patience = retry_after_of(change.attempt->outcome, settings());
  if (!table.allows(failure, patience, change.placed->due)) {
    report_.add("wrong-slot", at,
                fmt::format("delivery {:x}, queued at {}, attempt {} failed at {} (Retry-After {} "
                            "ms): due at {} is not its next slot",
                            id, failure.queued_at.ms(), failure.number, failure.at.ms(),
                            patience.count_ms(), change.placed->due.ms()));
  }
  if (change.placed->attempts != failure.number) {
    report_.add("wrong-slot", at,
                fmt::format("delivery {:x} was placed with {} attempts after attempt {}", id,
                            change.placed->attempts, failure.number));
  }
  check_placed(at, *change.placed, track);
}

void SlotsCheck::check_placed(base::Instant at, const model::Delivery& placed,
                              const DeliveryTrack& track) {
  const model::Delivery& queued = track.queued;
  const SlotRange last = SlotTable(ledger_.policy(queued.subscription)).last_slot(queued.queued_at);
  const bool is_last_slot = placed.last_slot == track.last_slot || last.holds(placed.last_slot);
  if (placed.queued_at != queued.queued_at || placed.endpoint != queued.endpoint ||
      placed.subscription != queued.subscription || !is_last_slot) {
    report_.add("placed-differs", at,
                fmt::format("delivery {:x}, queued at {} with its last slot at {}, was placed as "
                            "queued at {} with its last slot at {}",
                            placed.id.value, queued.queued_at.ms(), track.last_slot.ms(),
                            placed.queued_at.ms(), placed.last_slot.ms()));
  }
}

void SlotsCheck::check_moved(base::Instant at, const model::Delivery& placed,
                             const DeliveryTrack& track) {
  check_placed(at, placed, track);
  const base::Instant again_at = track.not_started_at + settings().own_failure_delay;
  const bool is_kept = placed.due == track.due || (track.not_started_at.is_set() &&
                                                   placed.due == std::max(track.due, again_at));
  if (!is_kept || placed.attempts != track.attempts_submitted) {
    report_.add("moved-without-attempt", at,
                fmt::format("delivery {:x}, due at {} after {} attempts, was placed at {} after {}",
                            placed.id.value, track.due.ms(), track.attempts_submitted,
                            placed.due.ms(), placed.attempts));
  }
}

base::Instant SlotsCheck::counted_last_slot(base::Instant last_slot, base::ShardId shard) const {
  const base::Instant start = ledger_.works_from(shard);
  return last_slot < start ? start + settings().restart_grace : last_slot;
}

void SlotsCheck::check_untried_end(base::Instant at, const model::DeliveryChange& change,
                                   const DeliveryTrack& track) {
  const uint64_t id = change.delivery.value;
  if (*change.end != model::EndState::kDropped) {
    const bool is_cancelled = *change.end == model::EndState::kCancelled;
    if (!is_cancelled || !may_be_cancelled(track)) {
      report_.add(is_cancelled ? "cancelled-unasked" : "delivered-untried", at,
                  fmt::format("delivery {:x} was {} without a reason", id, word(*change.end)));
    }
    return;
  }
  const CircuitView& circuit = ledger_.endpoint(track.queued.endpoint).circuit;
  if (circuit.lets_out() || track.flight.has_value()) {
    report_.add("dropped-untried", at,
                fmt::format("delivery {:x} was dropped without an attempt, but {}", id,
                            circuit.lets_out() ? "its circuit lets it out" : "it is in flight"));
  }
  const base::Instant last = counted_last_slot(track.last_slot, track.queued.endpoint.shard());
  if (at < last) {
    report_.add("dropped-too-early", at,
                fmt::format("held delivery {:x} was dropped {} ms before its last slot", id,
                            (last - at).count_ms()));
  }
}

void SlotsCheck::check_stale(base::Instant at, const EndpointTrack& endpoint) {
  const base::ShardId shard = endpoint.id.shard();
  if (endpoint.circuit.lets_out() || !ledger_.works(shard)) {
    return;
  }
  const base::Instant quiet_from = std::max({endpoint.circuit.changed_at, ledger_.works_from(shard),
                                             ledger_.trouble_at() + kTroubleTail});
  int looks_left = kLooksMax;
  for (const model::ExpiryKey& key : endpoint.expiring) {
    if (at - key.last_slot <= kDropTolerance || looks_left-- == 0) {
      return;
    }
    const DeliveryTrack& track = *ledger_.delivery(key.delivery);
    // A start takes a moment: what passes meanwhile may count as passed before it.
    const base::Instant counted = counted_last_slot(key.last_slot - kStartTime, shard);
    const base::Instant from = std::max({quiet_from, track.ready_since, key.last_slot, counted});
    if (at - from > kDropTolerance && reported_.insert(key.delivery).second) {
      report_.add("held-past-last-slot", at,
                  fmt::format("delivery {:x} is still held {} ms after its last slot",
                              key.delivery.value, (at - from).count_ms()));
    }
  }
}

void SlotsCheck::counts(base::Instant at, const Counts& /*counts*/) {
  for (const auto& [id, endpoint] : ledger_.endpoints()) {
    check_stale(at, endpoint);
  }
}

}  // namespace checks
