#include "tests/sim/checks/conservation_check.h"

#include <fmt/format.h>

#include "tests/sim/checks/words.h"

namespace checks {

void ConservationCheck::queued(base::Instant at, const Queued& queued) {
  for (const model::Delivery& delivery : queued.deliveries) {
    ++created_;
    if (ledger_.delivery(delivery.id) != nullptr) {
      report_.add("queued-twice", at,
                  fmt::format("delivery {:x} was queued a second time", delivery.id.value));
    }
  }
}

void ConservationCheck::started(base::Instant at, const AttemptStarted& started) {
  const DeliveryTrack* track = ledger_.delivery(started.delivery.id);
  if (track != nullptr && track->end_submitted.has_value()) {
    report_.add("after-the-end", at,
                fmt::format("delivery {:x} started after it was {}", started.delivery.id.value,
                            word(*track->end_submitted)));
  }
}

void ConservationCheck::submitted(base::Instant at, const model::Section& section) {
  for (const model::DeliveryChange& change : section.deliveries) {
    const DeliveryTrack* track = ledger_.delivery(change.delivery);
    if (track == nullptr) {
      report_.add("unknown-delivery", at,
                  fmt::format("section {} changes delivery {:x}, which was never queued",
                              section.number, change.delivery.value));
    } else if (track->end_submitted.has_value()) {
      report_.add("after-the-end", at,
                  fmt::format("section {} changes delivery {:x}, which was {} before",
                              section.number, change.delivery.value, word(*track->end_submitted)));
    }
    if (change.end.has_value() && change.placed.has_value()) {
      report_.add("after-the-end", at,
                  fmt::format("section {} ends delivery {:x} and queues it again", section.number,
                              change.delivery.value));
    }
  }
}

void ConservationCheck::committed(base::Instant /*at*/, const model::Section& section) {
  for (const model::DeliveryChange& change : section.deliveries) {
    const DeliveryTrack* track = ledger_.delivery(change.delivery);
    if (change.end.has_value() && track != nullptr && !track->end_durable.has_value()) {
      ++count_of(*change.end);
    }
  }
}

void ConservationCheck::counts(base::Instant at, const Counts& counts) {
  if (!counts.is_quiet) {
    return;
  }
  const uint64_t sum = counts.stored_delivered + counts.stored_dropped + counts.stored_cancelled +
                       counts.waiting + counts.held + counts.in_flight;
  if (counts.stored_created != sum) {
    report_.add(
        "conservation", at,
        fmt::format("{} created, but {} delivered + {} dropped + {} cancelled + {} waiting "
                    "+ {} held + {} in flight = {}",
                    counts.stored_created, counts.stored_delivered, counts.stored_dropped,
                    counts.stored_cancelled, counts.waiting, counts.held, counts.in_flight, sum));
  }
  check_against_seen(at, counts);
}

void ConservationCheck::check_against_seen(base::Instant at, const Counts& counts) {
  const auto compare = [&](const char* what, uint64_t stored, uint64_t seen) {
    if (stored != seen) {
      report_.add("conservation", at,
                  fmt::format("the store has {} {}, but {} were seen", stored, what, seen));
    }
  };
  compare("created", counts.stored_created, created_);
  compare("delivered", counts.stored_delivered, count_of(model::EndState::kDelivered));
  compare("dropped", counts.stored_dropped, count_of(model::EndState::kDropped));
  compare("cancelled", counts.stored_cancelled, count_of(model::EndState::kCancelled));
}

void ConservationCheck::run_ended(base::Instant at) {
  for (const auto& [id, endpoint] : ledger_.endpoints()) {
    for (const base::DeliveryId delivery : endpoint.unfinished) {
      report_.add(
          "unfinished-at-the-end", at,
          fmt::format("delivery {:x} of endpoint {:x} never ended", delivery.value, id.value));
    }
  }
}

}  // namespace checks
