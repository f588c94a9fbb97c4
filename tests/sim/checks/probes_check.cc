#include "tests/sim/checks/probes_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace checks {
namespace {

// What became ready only just now may not be known to the process yet: it hears of a commit, or
// reads the due index, a little later than the store knows.
constexpr base::Duration kNewsTolerance = base::Duration::seconds(5);
constexpr base::Duration kPromptness = base::Duration::seconds(5);
constexpr base::Duration kTroubleTail = base::Duration::seconds(30);

}  // namespace

void ProbesCheck::started(base::Instant at, const AttemptStarted& started) {
  const EndpointTrack& endpoint = ledger_.endpoint(started.delivery.endpoint);
  check_promptness(at, endpoint);
  if (!started.is_probe || !endpoint.circuit.lets_probes_out()) {
    return;  // a probe at the wrong time is reported by the silence checker
  }
  const uint64_t id = started.delivery.id.value;
  if (endpoint.flights.probes > 0) {
    report_.add("one-probe", at,
                fmt::format("probe {:x} of endpoint {:x} started while another was in flight", id,
                            endpoint.id.value));
  }
  const base::Instant from = std::max(endpoint.circuit.probe_from, endpoint.circuit.not_before);
  if (at < from) {
    report_.add("probe-too-early", at,
                fmt::format("probe {:x} of endpoint {:x} started {} ms too early", id,
                            endpoint.id.value, (from - at).count_ms()));
  }
  check_choice(at, started, endpoint);
}

bool ProbesCheck::is_candidate(base::Instant at, base::DeliveryId id) const {
  const DeliveryTrack& track = *ledger_.delivery(id);
  // After a try that could not start it may stand behind others for a while.
  const bool was_refused =
      track.not_started_at.is_set() && at - track.not_started_at <= settings().probe_interval;
  return at - track.ready_since > kNewsTolerance && !was_refused &&
         !ledger_.is_removed(track.queued.subscription) && !ledger_.is_cancel_asked(id);
}

void ProbesCheck::check_choice(base::Instant at, const AttemptStarted& probe,
                               const EndpointTrack& endpoint) {
  const DeliveryTrack* track = ledger_.delivery(probe.delivery.id);
  if (track == nullptr || at - ledger_.trouble_at() < kTroubleTail) {
    return;
  }
  const model::DueKey chosen{.due = track->due, .delivery = probe.delivery.id};
  for (const model::DueKey& key : endpoint.ready) {
    if (key >= chosen) {
      return;
    }
    if (is_candidate(at, key.delivery)) {
      report_.add(
          "probe-choice", at,
          fmt::format("probe {:x} (due at {}) was chosen, but {:x} was due at {}",
                      chosen.delivery.value, chosen.due.ms(), key.delivery.value, key.due.ms()));
      return;
    }
  }
}

base::Instant ProbesCheck::possible_since(base::Instant at, const EndpointTrack& endpoint) const {
  const base::ShardId shard = endpoint.id.shard();
  if (!endpoint.circuit.lets_probes_out() || endpoint.flights.probes > 0 || !ledger_.works(shard) ||
      ledger_.is_budget_full()) {
    return base::Instant::never();
  }
  for (const model::DueKey& key : endpoint.ready) {
    if (key.due > at) {
      break;
    }
    if (is_candidate(at, key.delivery)) {
      const DeliveryTrack& track = *ledger_.delivery(key.delivery);
      return std::max({key.due, track.ready_since, endpoint.circuit.probe_from,
                       endpoint.circuit.not_before, endpoint.circuit.changed_at, endpoint.busy_at,
                       ledger_.works_from(shard), ledger_.budget_full_at(),
                       ledger_.trouble_at() + kTroubleTail});
    }
  }
  return base::Instant::never();
}

void ProbesCheck::check_promptness(base::Instant at, const EndpointTrack& endpoint) {
  const base::Instant since = possible_since(at, endpoint);
  if (since >= at || at - since <= kPromptness) {
    return;
  }
  base::Instant& reported = reported_[endpoint.id];
  if (reported != endpoint.circuit.probe_from) {
    reported = endpoint.circuit.probe_from;
    report_.add("probe-late", at,
                fmt::format("endpoint {:x} could have been probed since {}, {} ms ago",
                            endpoint.id.value, since.ms(), (at - since).count_ms()));
  }
}

void ProbesCheck::counts(base::Instant at, const Counts& /*counts*/) {
  for (const auto& [id, endpoint] : ledger_.endpoints()) {
    check_promptness(at, endpoint);
  }
}

}  // namespace checks
