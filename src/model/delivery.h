// A delivery: one event for one subscription, and what happens to it.
//
//              queued
//                |
//        +-> waiting/held --(circuit closed at the last slot)--> dropped
//        |       |      \--(by a person, or its subscription deleted)--> cancelled
//   next slot    v
//        +--- in flight --(2xx)--> delivered
//                \--(failed, no slot left)--> dropped
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "base/ids.h"
#include "base/time.h"
#include "model/outcome.h"

namespace model {

enum class Lane : uint8_t {
  kFresh,  // first attempts that were never held
  kRetry,  // retries, redeliveries, probes, and what drains after the circuit closed again
};

enum class EndState : uint8_t { kDelivered, kDropped, kCancelled };

// The due index of an endpoint's queue has two ranges, so that first attempts are never behind
// retries: first attempts in the order of queueing, and everything else in the order of due times.
enum class DueRange : uint8_t { kFirst, kRetry };

// Position within one range of one queue.
struct DueKey {
  base::Instant due;
  base::DeliveryId delivery;

  constexpr auto operator<=>(const DueKey&) const = default;
};

// Queues within an endpoint: one shared, and one for each subscription with limits of its own.
using QueueId = base::SubscriptionId;
inline constexpr QueueId kSharedQueue{0};

// An unfinished delivery, as far as scheduling it goes.
struct Delivery {
  base::DeliveryId id;
  base::EventId event;
  base::EndpointId endpoint;
  base::TenantId tenant;
  base::SubscriptionId subscription;
  QueueId queue;
  base::ObjectId object;    // set if and only if the delivery is ordered
  base::Instant queued_at;  // the retry slots count from here
  base::Instant due;
  base::Instant last_slot;  // when a closed circuit gives it up
  uint32_t attempts = 0;    // failed ones so far
  DueRange range = DueRange::kFirst;
  bool operational = false;  // of a postrider.* event
  bool recorded = false;     // has a record in the due index (or, if blocked, in the order index)
  bool blocked = false;      // ordered, and an earlier one of the same object is unfinished

  DueKey key() const { return {.due = due, .delivery = id}; }
};

// How an outcome counts for the circuit; decided when the attempt ends, kept with it so that
// recovery can count it again.
enum class Counting : uint8_t {
  kFull,          // the circuit has not changed since the attempt started
  kLate,          // the circuit changed meanwhile: not in the failure rates
  kLifetimeOnly,  // the endpoint was enabled meanwhile: belongs to the time before
};

enum class CircuitState : uint8_t { kActive, kDisabled, kFrozen };

// One finished attempt, kept for the log.
struct Attempt {
  base::DeliveryId delivery;
  base::EndpointId endpoint;
  uint32_t number = 1;   // 1 is the first
  uint64_t ordinal = 0;  // the endpoint's n-th attempt ever; tells recovery what a record includes
  Lane lane = Lane::kFresh;
  bool is_probe = false;
  base::Instant started_at;
  base::Instant finished_at;
  Outcome outcome;
  Counting counting = Counting::kFull;
  CircuitState circuit_before = CircuitState::kActive;
  CircuitState circuit_after = CircuitState::kActive;
};

// Whose delivery it is: what a store needs to count an outcome without looking the delivery up.
struct DeliveryOwner {
  base::TenantId tenant;
  base::EndpointId endpoint;
  base::SubscriptionId subscription;
  base::ObjectId object;  // set if and only if the delivery is ordered
};

inline DeliveryOwner owner_of(const Delivery& delivery) {
  return {.tenant = delivery.tenant,
          .endpoint = delivery.endpoint,
          .subscription = delivery.subscription,
          .object = delivery.object};
}

// Everything that one commit does to one delivery.
struct DeliveryChange {
  base::DeliveryId delivery;
  std::optional<Attempt> attempt;   // this attempt has ended
  std::optional<Delivery> removed;  // its due-index record, as it was, goes
  std::optional<Delivery> placed;   // this due-index record comes
  std::optional<EndState> end;  // it is finished; if ordered, the next of its object is promoted
  DeliveryOwner owner = {};
};

}  // namespace model
