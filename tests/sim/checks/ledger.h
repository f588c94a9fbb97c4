// What an observer knows at a moment of the run: each delivery, each endpoint, what is submitted
// and what of it is durable. It judges nothing; checkers read it.
//
// Two times matter. What was decided (a section was submitted) binds the process at once: after a
// submitted pause nothing may start. What is durable (the section was committed) survives a crash.
// So facts that can be taken back are kept twice, and a crash copies the durable ones over the
// others.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "model/section.h"
#include "tests/sim/checks/history.h"

namespace checks {

struct IdHash {
  template <class Id>
  size_t operator()(const Id& id) const {
    return base::mix(id.value);
  }
};

// An attempt from its start until its outcome is durable.
struct Flight {
  base::Instant started_at;
  uint32_t number = 1;
  model::Lane lane = model::Lane::kFresh;
  bool is_probe = false;
  bool is_unproven = false;  // to an endpoint that failed last or never succeeded, when it started
  bool is_drained = false;   // of what was queued before the last release
  uint64_t state_changes = 0;  // of the endpoint, when it started
  uint64_t enables = 0;
  uint64_t ramp = 0;
  base::Instant ended_at;  // the transport reported
  model::Outcome outcome;
};

struct DeliveryTrack {
  model::Delivery queued;  // as it was acknowledged
  base::Instant due;       // by the last durable placement
  base::Instant last_slot;
  uint32_t attempts_submitted = 0;
  uint32_t attempts_durable = 0;
  std::optional<model::EndState> end_submitted;
  std::optional<model::EndState> end_durable;
  std::optional<Flight> flight;
  base::Instant not_started_at;  // when its last try ended as no attempt
  base::Instant ready_since;     // when it last joined the ready ones
  bool is_ordered = false;
};

// What the submitted (or the durable) sections say of a circuit.
struct CircuitView {
  model::CircuitState state = model::CircuitState::kActive;
  bool paused = false;
  bool last_failed = false;
  bool has_succeeded = false;
  base::Instant not_before;
  base::Instant released_at;  // the last enable or resume
  base::Instant probe_from;
  base::Instant changed_at;  // the last transition
  uint64_t state_changes = 0;
  uint64_t enables = 0;

  bool lets_out() const { return state == model::CircuitState::kActive && !paused; }
  bool lets_probes_out() const { return state == model::CircuitState::kDisabled && !paused; }
  bool is_proven() const { return has_succeeded && !last_failed; }
};

// Attempts in flight, by what bounds them.
struct FlightCount {
  uint32_t all = 0;
  uint32_t probes = 0;
  uint32_t retry_lane = 0;  // probes included
  uint32_t unproven = 0;    // in the fresh lane

  void add(const Flight& flight, int by);
};

struct EndpointTrack {
  base::EndpointId id;
  CircuitView circuit;
  CircuitView durable;
  FlightCount flights;
  uint64_t ramp = 0;                      // grows with each release, restart and takeover
  base::Instant busy_at;                  // the last time something of it was in flight
  std::vector<base::DeliveryId> queued;   // in order of ids
  std::set<base::DeliveryId> unfinished;  // not durably ended
  std::set<model::DueKey> ready;          // not in flight, not ended, not behind another
  std::set<model::ExpiryKey> expiring;    // not in flight, not ended
  uint64_t ended_submitted = 0;
};

struct ShardTrack {
  bool is_owned = true;
  base::Instant owned_from;
  struct Pending {
    model::Section section;
    std::map<base::EndpointId, CircuitView> circuits;  // as they are after it
  };
  std::deque<Pending> pending;
};

class Ledger {
 public:
  using ObjectKey = std::pair<base::SubscriptionId, base::ObjectId>;

  explicit Ledger(const Settings& settings) : settings_(settings) {}

  void apply(const Observation& seen);

  const Settings& settings() const { return settings_; }
  const DeliveryTrack* delivery(base::DeliveryId id) const;
  // Endpoints exist from their first mention on; before that they are as new.
  const EndpointTrack& endpoint(base::EndpointId id) const;
  const ShardTrack& shard(base::ShardId shard) const { return shards_[shard]; }
  const model::SubscriptionSettings* subscription(base::SubscriptionId id) const;
  const model::RetryPolicy& policy(base::SubscriptionId id) const;
  bool is_removed(base::SubscriptionId id) const { return removed_.contains(id); }
  bool is_cancel_asked(base::DeliveryId id) const { return cancel_asked_.contains(id); }
  // The oldest unfinished delivery of an object; unset if there is none.
  base::DeliveryId first_of(const ObjectKey& key) const;
  uint32_t in_flight_of(base::SubscriptionId id) const;
  const std::map<base::EndpointId, EndpointTrack>& endpoints() const { return endpoints_; }
  const std::unordered_map<base::DeliveryId, DeliveryTrack, IdHash>& deliveries() const {
    return deliveries_;
  }

  const FlightCount& flights() const { return flights_; }
  bool is_budget_full() const;
  base::Instant budget_full_at() const { return budget_full_at_; }
  base::Instant trouble_at() const { return trouble_at_; }
  // Running, and the shard is ours; since when.
  bool works(base::ShardId shard) const { return is_running_ && shards_[shard].is_owned; }
  base::Instant works_from(base::ShardId shard) const {
    return std::max(running_from_, shards_[shard].owned_from);
  }
  // The section that would become durable next on that shard, if it is this one.
  const model::Section* pending(const Committed& committed) const;

 private:
  void take(base::Instant at, const Queued& queued);
  void take(base::Instant at, const AttemptStarted& started);
  void take(base::Instant at, const AttemptEnded& ended);
  void take(base::Instant at, const Submitted& submitted);
  void take(base::Instant at, const Committed& committed);
  void take(base::Instant at, const StoreTrouble& trouble);
  void take(base::Instant at, const Crashed& crashed);
  void take(base::Instant at, const Restarted& restarted);
  void take(base::Instant at, const ShardLost& lost);
  void take(base::Instant at, const ShardRegained& regained);
  void take(base::Instant at, const CommandAsked& asked);
  void take(base::Instant at, const SubscriptionSet& set);
  void take(base::Instant, const ReceiverApplied&) {}
  void take(base::Instant, const CommandAnswered&) {}
  void take(base::Instant, const FaultsEnded&) {}
  void take(base::Instant, const Counts&) {}
  void take(base::Instant, const RunEnded&) {}

  EndpointTrack& endpoint_for(base::EndpointId id);
  DeliveryTrack* find(base::DeliveryId id);
  void submit_change(const model::DeliveryChange& change);
  void commit_change(base::Instant at, const model::DeliveryChange& change);
  void finish(base::Instant at, DeliveryTrack& track, model::EndState end);
  void land(base::Instant at, DeliveryTrack& track);
  void make_ready(base::Instant at, DeliveryTrack& track);
  void unready(DeliveryTrack& track);
  void forget_shard(base::Instant at, base::ShardId shard);

  Settings settings_;
  std::unordered_map<base::DeliveryId, DeliveryTrack, IdHash> deliveries_;
  // A dozen checkers ask for the same delivery one after the other. Deliveries are never forgotten.
  mutable const DeliveryTrack* last_found_ = nullptr;
  std::map<base::EndpointId, EndpointTrack> endpoints_;
  std::array<ShardTrack, base::kShardCount> shards_;
  std::map<base::SubscriptionId, model::SubscriptionSettings> subscriptions_;
  std::unordered_map<base::SubscriptionId, uint32_t, IdHash> in_flight_of_;
  std::unordered_set<base::SubscriptionId, IdHash> removed_;
  std::unordered_set<base::DeliveryId, IdHash> cancel_asked_;
  std::map<ObjectKey, std::set<base::DeliveryId>> ordered_;
  FlightCount flights_;
  base::Instant budget_full_at_;
  base::Instant trouble_at_;
  base::Instant running_from_;
  bool is_running_ = true;
};

}  // namespace checks
