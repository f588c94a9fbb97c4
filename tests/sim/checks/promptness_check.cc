#include "tests/sim/checks/promptness_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace checks {
namespace {

constexpr base::Duration kPromptness = base::Duration::seconds(5);
constexpr base::Duration kTroubleTail = base::Duration::seconds(30);
constexpr int kLooksMax = 8;

}  // namespace

base::Instant PromptnessCheck::free_since(const DeliveryTrack& track,
                                          const EndpointTrack& endpoint) const {
  const CircuitView& circuit = endpoint.circuit;
  base::Instant since =
      std::max({track.due, track.ready_since, endpoint.busy_at, circuit.changed_at,
                circuit.released_at, circuit.not_before, ledger_.works_from(endpoint.id.shard()),
                ledger_.budget_full_at(), ledger_.trouble_at() + kTroubleTail});
  if (track.not_started_at.is_set()) {
    since = std::max(since, track.not_started_at + settings().own_failure_delay);
  }
  const auto* own = ledger_.subscription(track.queued.subscription);
  const auto last = last_starts_.find(track.queued.subscription);
  if (own != nullptr && own->rate_limit.has_value() && last != last_starts_.end()) {
    const int64_t spacing = own->rate_limit->period.count_ms() / own->rate_limit->count + 1;
    since = std::max(since, last->second + base::Duration::ms(spacing));
  }
  return since;
}

void PromptnessCheck::check(base::Instant at, const DeliveryTrack& track,
                            const EndpointTrack& endpoint) {
  const model::Delivery& queued = track.queued;
  const bool is_free =
      endpoint.circuit.lets_out() && endpoint.flights.all == 0 && !ledger_.is_budget_full() &&
      ledger_.works(endpoint.id.shard()) && !ledger_.is_removed(queued.subscription) &&
      !ledger_.is_cancel_asked(queued.id) && ledger_.in_flight_of(queued.subscription) == 0;
  if (!is_free) {
    return;
  }
  const base::Instant since = free_since(track, endpoint);
  if (since < at && at - since > kPromptness && reported_.insert(queued.id).second) {
    report_.add("late-start", at,
                fmt::format("delivery {:x} of idle endpoint {:x} was due at {} and free to go "
                            "since {}, {} ms ago",
                            queued.id.value, endpoint.id.value, track.due.ms(), since.ms(),
                            (at - since).count_ms()));
  }
}

void PromptnessCheck::started(base::Instant at, const AttemptStarted& started) {
  const DeliveryTrack* track = ledger_.delivery(started.delivery.id);
  if (track != nullptr) {
    check(at, *track, ledger_.endpoint(track->queued.endpoint));
  }
  last_starts_[started.delivery.subscription] = at;
}

void PromptnessCheck::counts(base::Instant at, const Counts& /*counts*/) {
  for (const auto& [id, endpoint] : ledger_.endpoints()) {
    int looks_left = kLooksMax;
    for (const model::DueKey& key : endpoint.ready) {
      if (key.due > at || looks_left-- == 0) {
        break;
      }
      check(at, *ledger_.delivery(key.delivery), endpoint);
    }
  }
}

}  // namespace checks
