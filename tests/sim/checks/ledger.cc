#include "tests/sim/checks/ledger.h"

#include <algorithm>

#include "tests/sim/checks/section_effect.h"

namespace checks {

void FlightCount::add(const Flight& flight, int by) {
  const auto step = static_cast<uint32_t>(by);
  all += step;
  probes += flight.is_probe ? step : 0;
  retry_lane += flight.lane == model::Lane::kRetry ? step : 0;
  unproven += flight.is_unproven ? step : 0;
}

void Ledger::apply(const Observation& seen) {
  std::visit([&](const auto& event) { take(seen.at, event); }, seen.event);
}

const DeliveryTrack* Ledger::delivery(base::DeliveryId id) const {
  if (last_found_ != nullptr && last_found_->queued.id == id) {
    return last_found_;
  }
  const auto found = deliveries_.find(id);
  if (found == deliveries_.end()) {
    return nullptr;
  }
  last_found_ = &found->second;
  return last_found_;
}

DeliveryTrack* Ledger::find(base::DeliveryId id) {
  const auto found = deliveries_.find(id);
  return found == deliveries_.end() ? nullptr : &found->second;
}

const EndpointTrack& Ledger::endpoint(base::EndpointId id) const {
  static const EndpointTrack kNew;
  const auto found = endpoints_.find(id);
  return found == endpoints_.end() ? kNew : found->second;
}

EndpointTrack& Ledger::endpoint_for(base::EndpointId id) {
  const auto [found, is_new] = endpoints_.try_emplace(id);
  found->second.id = id;
  return found->second;
}

const model::SubscriptionSettings* Ledger::subscription(base::SubscriptionId id) const {
  const auto found = subscriptions_.find(id);
  return found == subscriptions_.end() ? nullptr : &found->second;
}

const model::RetryPolicy& Ledger::policy(base::SubscriptionId id) const {
  const auto* own = subscription(id);
  return own != nullptr && own->retry.has_value() ? *own->retry : settings_.retry;
}

base::DeliveryId Ledger::first_of(const ObjectKey& key) const {
  const auto found = ordered_.find(key);
  return found == ordered_.end() || found->second.empty() ? base::DeliveryId{}
                                                          : *found->second.begin();
}

uint32_t Ledger::in_flight_of(base::SubscriptionId id) const {
  const auto found = in_flight_of_.find(id);
  return found == in_flight_of_.end() ? 0 : found->second;
}

bool Ledger::is_budget_full() const {
  const uint32_t most = settings_.in_flight_max;
  const uint32_t unproven_max = std::max(1U, (most - most / 2) / 2);
  return flights_.all >= most || flights_.retry_lane >= std::max(1U, most / 2) ||
         flights_.unproven >= unproven_max;
}

const model::Section* Ledger::pending(const Committed& committed) const {
  const auto& waiting = shards_[committed.shard].pending;
  if (waiting.empty() || waiting.front().section.number != committed.number ||
      waiting.front().section.epoch != committed.epoch) {
    return nullptr;
  }
  return &waiting.front().section;
}

void Ledger::take(base::Instant at, const Queued& queued) {
  for (const model::Delivery& delivery : queued.deliveries) {
    const auto [found, is_new] = deliveries_.try_emplace(delivery.id);
    if (!is_new) {
      continue;
    }
    DeliveryTrack& track = found->second;
    const bool is_first = delivery.range == model::DueRange::kFirst;
    track.queued = delivery;
    track.due = is_first ? delivery.queued_at : delivery.due;
    track.last_slot = delivery.last_slot;
    track.is_ordered = delivery.object.is_set() && is_first;
    EndpointTrack& endpoint = endpoint_for(delivery.endpoint);
    auto& ids = endpoint.queued;
    ids.insert(std::upper_bound(ids.begin(), ids.end(), delivery.id), delivery.id);
    endpoint.unfinished.insert(delivery.id);
    if (track.is_ordered) {
      ordered_[{delivery.subscription, delivery.object}].insert(delivery.id);
    }
    make_ready(at, track);
  }
}

void Ledger::take(base::Instant at, const AttemptStarted& started) {
  DeliveryTrack* track = find(started.delivery.id);
  if (track == nullptr || track->flight.has_value()) {
    return;
  }
  EndpointTrack& endpoint = endpoint_for(track->queued.endpoint);
  const bool is_retry_lane = started.lane == model::Lane::kRetry;
  unready(*track);
  track->flight = Flight{
      .started_at = at,
      .number = started.number,
      .lane = started.lane,
      .is_probe = started.is_probe,
      .is_unproven = !is_retry_lane && !endpoint.circuit.is_proven(),
      .is_drained = is_retry_lane && !started.is_probe &&
                    track->queued.queued_at < endpoint.circuit.released_at,
      .state_changes = endpoint.circuit.state_changes,
      .enables = endpoint.circuit.enables,
      .ramp = endpoint.ramp,
  };
  endpoint.flights.add(*track->flight, 1);
  flights_.add(*track->flight, 1);
  ++in_flight_of_[track->queued.subscription];
}

void Ledger::take(base::Instant at, const AttemptEnded& ended) {
  DeliveryTrack* track = find(ended.delivery);
  if (track == nullptr || !track->flight.has_value()) {
    return;
  }
  if (ended.outcome.kind == model::OutcomeKind::kNotStarted) {
    track->not_started_at = at;
    land(at, *track);
    // It may keep its place until it is made again: we are short of something ourselves.
    budget_full_at_ = std::max(budget_full_at_, at + settings_.own_failure_delay);
    make_ready(at, *track);
    return;
  }
  track->flight->ended_at = at;
  track->flight->outcome = ended.outcome;
}

void Ledger::take(base::Instant at, const Submitted& submitted) {
  const model::Section& section = submitted.section;
  ShardTrack::Pending pending{.section = section, .circuits = {}};
  for (const model::DeliveryChange& change : section.deliveries) {
    submit_change(change);
    // Clearing away what a removed subscription left behind is work, too.
    const DeliveryTrack* const cleared = change.attempt ? nullptr : find(change.delivery);
    if (cleared != nullptr && change.end) {
      endpoint_for(cleared->queued.endpoint).busy_at = at;
    }
    if (change.attempt.has_value()) {
      EndpointTrack& endpoint = endpoint_for(change.attempt->endpoint);
      const DeliveryTrack* track = find(change.delivery);
      const bool is_current = track != nullptr && track->flight.has_value() &&
                              track->flight->state_changes == endpoint.circuit.state_changes;
      count_attempt(*change.attempt, is_current, settings_, endpoint.circuit);
      pending.circuits[endpoint.id] = endpoint.circuit;
    }
  }
  for (const model::Transition& transition : section.transitions) {
    EndpointTrack& endpoint = endpoint_for(transition.endpoint);
    if (follow(transition, settings_, endpoint.circuit)) {
      ++endpoint.ramp;
    }
    pending.circuits[endpoint.id] = endpoint.circuit;
  }
  shards_[section.shard].pending.push_back(std::move(pending));
}

void Ledger::submit_change(const model::DeliveryChange& change) {
  DeliveryTrack* track = find(change.delivery);
  if (track == nullptr) {
    return;
  }
  if (change.attempt.has_value()) {
    track->attempts_submitted = change.attempt->number;
  }
  if (change.end.has_value() && !track->end_submitted.has_value()) {
    track->end_submitted = change.end;
    ++endpoint_for(track->queued.endpoint).ended_submitted;
    unready(*track);
  }
}

void Ledger::take(base::Instant at, const Committed& committed) {
  if (pending(committed) == nullptr) {
    return;
  }
  auto& waiting = shards_[committed.shard].pending;
  const ShardTrack::Pending durable = std::move(waiting.front());
  waiting.pop_front();
  for (const auto& [id, circuit] : durable.circuits) {
    endpoint_for(id).durable = circuit;
  }
  for (const model::DeliveryChange& change : durable.section.deliveries) {
    commit_change(at, change);
  }
}

void Ledger::commit_change(base::Instant at, const model::DeliveryChange& change) {
  DeliveryTrack* track = find(change.delivery);
  if (track == nullptr) {
    return;
  }
  if (change.attempt.has_value()) {
    track->attempts_durable = change.attempt->number;
    land(at, *track);
  }
  if (change.placed.has_value()) {
    unready(*track);
    track->due = change.placed->due;
    if (change.placed->last_slot.is_set()) {
      track->last_slot = change.placed->last_slot;
    }
    // A delivery that was merely spilled was ready all the time.
    make_ready(change.attempt.has_value() ? at : track->ready_since, *track);
  }
  if (change.end.has_value()) {
    finish(at, *track, *change.end);
  }
}

void Ledger::finish(base::Instant at, DeliveryTrack& track, model::EndState end) {
  if (track.end_durable.has_value()) {
    return;
  }
  track.end_durable = end;
  land(at, track);
  endpoint_for(track.queued.endpoint).unfinished.erase(track.queued.id);
  if (!track.is_ordered) {
    return;
  }
  const ObjectKey key{track.queued.subscription, track.queued.object};
  ordered_[key].erase(track.queued.id);
  DeliveryTrack* next = find(first_of(key));
  if (next != nullptr) {
    make_ready(at, *next);
  }
}

void Ledger::land(base::Instant at, DeliveryTrack& track) {
  if (!track.flight.has_value()) {
    return;
  }
  if (is_budget_full()) {
    budget_full_at_ = at;
  }
  EndpointTrack& endpoint = endpoint_for(track.queued.endpoint);
  endpoint.flights.add(*track.flight, -1);
  endpoint.busy_at = at;
  flights_.add(*track.flight, -1);
  --in_flight_of_[track.queued.subscription];
  track.flight.reset();
}

void Ledger::make_ready(base::Instant at, DeliveryTrack& track) {
  if (track.end_submitted.has_value() || track.flight.has_value()) {
    return;
  }
  const model::Delivery& queued = track.queued;
  EndpointTrack& endpoint = endpoint_for(queued.endpoint);
  endpoint.expiring.insert({.last_slot = track.last_slot, .delivery = queued.id});
  track.ready_since = at;
  const bool is_behind =
      track.is_ordered && first_of({queued.subscription, queued.object}) != queued.id;
  if (!is_behind) {
    endpoint.ready.insert({.due = track.due, .delivery = queued.id});
  }
}

void Ledger::unready(DeliveryTrack& track) {
  EndpointTrack& endpoint = endpoint_for(track.queued.endpoint);
  endpoint.ready.erase({.due = track.due, .delivery = track.queued.id});
  endpoint.expiring.erase({.last_slot = track.last_slot, .delivery = track.queued.id});
}

void Ledger::forget_shard(base::Instant at, base::ShardId shard) {
  shards_[shard].pending.clear();
  for (auto& [id, endpoint] : endpoints_) {
    if (id.shard() != shard) {
      continue;
    }
    endpoint.circuit = endpoint.durable;
    endpoint.ended_submitted = endpoint.queued.size() - endpoint.unfinished.size();
    for (const base::DeliveryId delivery : endpoint.unfinished) {
      DeliveryTrack& track = *find(delivery);
      land(at, track);
      track.end_submitted.reset();
      track.not_started_at = {};
      track.attempts_submitted = track.attempts_durable;
      make_ready(at, track);
    }
  }
}

void Ledger::take(base::Instant at, const StoreTrouble& /*trouble*/) { trouble_at_ = at; }

void Ledger::take(base::Instant at, const Crashed& /*crashed*/) {
  is_running_ = false;
  std::set<base::ShardId> shards;
  for (const auto& [id, endpoint] : endpoints_) {
    shards.insert(id.shard());
  }
  for (const base::ShardId shard : shards) {
    forget_shard(at, shard);
  }
}

void Ledger::take(base::Instant at, const Restarted& /*restarted*/) {
  is_running_ = true;
  running_from_ = at;
  for (ShardTrack& shard : shards_) {
    shard.is_owned = true;
    shard.pending.clear();
  }
  for (auto& [id, endpoint] : endpoints_) {
    ++endpoint.ramp;
  }
}

void Ledger::take(base::Instant at, const ShardLost& lost) {
  shards_[lost.shard].is_owned = false;
  forget_shard(at, lost.shard);
}

void Ledger::take(base::Instant at, const ShardRegained& regained) {
  shards_[regained.shard].is_owned = true;
  shards_[regained.shard].owned_from = at;
  for (auto& [id, endpoint] : endpoints_) {
    if (id.shard() == regained.shard) {
      ++endpoint.ramp;
    }
  }
}

void Ledger::take(base::Instant /*at*/, const CommandAsked& asked) {
  if (asked.kind == CommandKind::kRemoveSubscription) {
    removed_.insert(asked.subscription);
  }
  if (asked.kind == CommandKind::kCancel) {
    cancel_asked_.insert(asked.delivery);
  }
}

void Ledger::take(base::Instant /*at*/, const SubscriptionSet& set) {
  subscriptions_[set.settings.id] = set.settings;
}

}  // namespace checks
