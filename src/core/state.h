// Everything the core knows, as plain data. The rules that work on it are in the files beside:
//
//   recovery     shards come and go              queueing    new deliveries, spilling
//   scheduling   whose turn, windows, timers     attempts    start, finish, durable
//   circuits     what a transition brings about  expiry      giving up what is held too long
//   sections     what is written, in order       checkpoint  counters, low-water mark
//   commands     enable, pause, resume, cancel       census      what all endpoints add up to
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/id_table.h"
#include "base/ids.h"
#include "base/time.h"
#include "core/census.h"
#include "core/effects.h"
#include "core/endpoint.h"
#include "core/inputs.h"
#include "core/low_water.h"
#include "core/options.h"
#include "core/pacer.h"
#include "core/retry_schedule.h"
#include "core/slab.h"
#include "core/timers.h"
#include "core/turns.h"

namespace core {

enum class AttemptPhase : uint8_t {
  kFree,
  kInFlight,
  kPostponed,   // could not start for a reason of our own; keeps its place and starts again
  kCommitting,  // has ended, but that is not durable yet
};

struct AttemptSlot {
  AttemptPhase phase = AttemptPhase::kFree;
  uint32_t generation = 0;
  uint32_t endpoint = kNoIndex;
  RingLink siblings;  // list of the endpoint's attempts; not circular
  model::Delivery delivery;
  model::QueueId queue;
  model::Lane lane = model::Lane::kFresh;
  TurnClass turn_class = TurnClass::kNone;
  bool is_probe = false;
  bool is_drain = false;
  base::Instant started_at;
  base::Instant released_at;  // of the endpoint at the start: tells which ramp it belongs to
  CircuitStamp stamp;
  CommandId cancel = CommandId::kNone;    // somebody wants it cancelled unless it succeeds
  std::optional<model::Delivery> placed;  // kCommitting: where it waits next
  bool ended = false;                     // kCommitting: it has ended for good
};

// What to do when a section is durable.
struct AttemptDurable {
  uint32_t slot = kNoIndex;
};
struct RecordDurable {  // a delivery got its first due-index record
  model::Delivery delivery;
};
struct MoveDurable {  // a delivery changed its queue
  model::Delivery from;
  model::Delivery to;
};
struct EndDurable {  // ended without an attempt
  model::Delivery delivery;
  CommandId command = CommandId::kNone;
};
struct CommandDurable {
  CommandId command = CommandId::kNone;
};
using Completion =
    std::variant<AttemptDurable, RecordDurable, MoveDurable, EndDurable, CommandDurable>;

struct PendingSection {
  uint64_t number = 0;
  uint32_t completions = 0;
};

struct Shard {
  bool owned = false;
  uint64_t epoch = 0;
  std::vector<uint32_t> endpoints;

  // Sections that are not durable yet, in order, and what to do when they are.
  uint64_t next_number = 1;
  std::deque<PendingSection> pending;
  std::deque<Completion> completions;
  uint32_t open_effect = kNoIndex;  // during a step: the Commit that is being filled
  std::optional<base::Instant> resubmit_at;

  // Giving up held deliveries; see expiry.h.
  base::Instant acquired_at;
  bool grace_is_over = false;
  model::ExpiryKey expiry_from;
  std::optional<model::ExpiryKey> expiry_skipped;  // earliest that was not held when looked at
  base::Instant next_expiry = base::Instant::never();
  LoadId expiry_load = LoadId::kNone;
  base::Instant expiry_until;
  bool expiry_is_stale = false;

  // Released with first attempts in memory only: recovery must still find them.
  std::vector<base::Sequence> parked;
};

struct Subscription {
  model::SubscriptionSettings settings;
  std::optional<RetrySchedule> schedule;  // if it has a retry policy of its own
  Pacer pacer;                            // outlives the queue, which goes when it is idle
  bool removed = false;
};

struct Postponed {
  base::Instant until;
  AttemptToken token;
};

struct PendingCancel {
  CommandId command = CommandId::kNone;
  base::EndpointId endpoint;
};

struct Checkpoint {
  std::vector<uint32_t> dirty;    // endpoints whose record lacks something
  std::vector<uint32_t> writing;  // those of the pass under way
  bool is_passing = false;
  base::Sequence mark = 0;                            // what the pass under way will establish
  base::Sequence last_mark = 0;                       // what the last one established
  std::array<uint64_t, base::kShardCount> barrier{};  // wait for this section; 0: none
  uint32_t barriers = 0;
};

struct State {
  State(const Options& core_options, RetrySchedule retry_schedule)
      : options(core_options),
        schedule(std::move(retry_schedule)),
        turns(endpoints, core_options.lanes.in_flight_max) {}

  Options options;
  RetrySchedule schedule;

  // Valid during a step.
  base::Instant now;
  Effects* effects = nullptr;
  std::vector<base::ShardId> open_shards;  // that have a Commit in this step

  std::array<Shard, base::kShardCount> shards;
  Slab<Endpoint> endpoints;
  base::IdTable endpoint_index;
  Slab<Backlog> backlogs;
  Slab<AttemptSlot> attempts;
  Slab<Subscription> subscriptions;
  base::IdTable subscription_index;

  Census census;
  Turns turns;
  Timers timers;
  std::deque<Postponed> postponed;  // in order of time, because the delay is constant
  base::IdTable leaving;            // deliveries that end without an attempt, not durable yet
  std::map<base::DeliveryId, PendingCancel> pending_cancels;
  LowWater low_water;
  Checkpoint checkpoint;
  uint64_t last_load = 0;
  bool draining = false;

  // Owners of timers: the shards, the checkpoint, then the endpoints.
  static constexpr Timers::Owner kCheckpointOwner = base::kShardCount;
  static constexpr Timers::Owner kFirstEndpointOwner = base::kShardCount + 1;

  Endpoint* find(base::EndpointId id) {
    const uint32_t index = endpoint_index.find(id.value);
    return index == kNoIndex ? nullptr : &endpoints[index];
  }
  const Subscription* find(base::SubscriptionId id) const {
    const uint32_t index = subscription_index.find(id.value);
    return index == kNoIndex ? nullptr : &subscriptions[index];
  }
  Subscription* find(base::SubscriptionId id) {
    const uint32_t index = subscription_index.find(id.value);
    return index == kNoIndex ? nullptr : &subscriptions[index];
  }
  const RetrySchedule& schedule_of(base::SubscriptionId id) const {
    const Subscription* const subscription = find(id);
    return subscription != nullptr && subscription->schedule ? *subscription->schedule : schedule;
  }
  LoadId new_load() { return static_cast<LoadId>(++last_load); }

  template <class E>
  void emit(E effect) {
    effects->emplace_back(std::move(effect));
  }
};

}  // namespace core
