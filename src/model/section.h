// What is written: the atomic pieces of a commit, and the questions the core asks of the due index.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "model/delivery.h"
#include "model/endpoint.h"
#include "model/event.h"

namespace model {

// An event with its deliveries: one atomic section, written by whoever accepts the publish.
struct Publish {
  base::EventId event;  // a second publish of the same event changes nothing and reports the first
  base::TenantId tenant;
  base::Instant queued_at;
  // Without ids: the store hands out the sequence. Those with `recorded` get a due-index record in
  // this commit; ordered ones are `blocked` by the store if an earlier one is unfinished.
  std::vector<Delivery> deliveries;

  std::shared_ptr<const Event> content = {};  // none in simulations
  // What makes the event unique within its tenant (the producer's id or Idempotency-Key), kept as
  // long as the event. Empty: nothing but `event`, which is kept only until the publish is
  // reported.
  std::string unique_key = {};
  uint64_t digest = 0;  // of the bytes as they came in: tells a repeat from another event
};

enum class OperationalType : uint8_t {
  kEndpointDisabled,
  kEndpointFrozen,
  kEndpointEnabled,
  kDeliveryDropped,
};

// Something about our own work that a tenant may subscribe to (postrider.*). The core says what
// happened; the shell finds the subscriptions and puts the event into the same section.
struct OperationalEvent {
  OperationalType type = OperationalType::kEndpointDisabled;
  base::TenantId tenant;
  base::EndpointId endpoint;
  base::DeliveryId delivery;  // of kDeliveryDropped
  base::Instant at;
  uint32_t withheld = 0;  // earlier publications of this endpoint that were counted, not sent
};

// The outcomes of one shard: one atomic section, refused if the shard has a new owner.
struct Section {
  base::ShardId shard = 0;
  uint64_t epoch = 0;
  uint64_t number = 0;  // grows by one per shard and epoch; a repeated one changes nothing

  std::vector<DeliveryChange> deliveries;
  std::vector<EndpointRecord> endpoints;
  std::vector<Transition> transitions;
  std::vector<Publish> publishes;  // operational events with their deliveries
};

// "The first `limit` records of this range from `from` on, but before `until`."
struct DueQuery {
  base::EndpointId endpoint;
  QueueId queue;
  DueRange range = DueRange::kFirst;
  DueKey from;
  base::Instant until = base::Instant::never();
  uint32_t limit = 0;
};

struct DuePage {
  std::vector<Delivery> deliveries;  // in key order
  bool complete = false;             // there are no more
};

// Held deliveries are given up in the order of their last slots, whatever their due times.
struct ExpiryKey {
  base::Instant last_slot;
  base::DeliveryId delivery;

  constexpr auto operator<=>(const ExpiryKey&) const = default;
};

// "The first `limit` deliveries of this shard whose last slot is `until` or earlier."
struct ExpiryQuery {
  base::ShardId shard = 0;
  ExpiryKey from;
  base::Instant until;
  uint32_t limit = 0;
};

struct ExpiryPage {
  std::vector<Delivery> deliveries;             // in key order
  base::Instant next = base::Instant::never();  // the last slot of the first one not returned
};

// Recovery: an endpoint, and where its queues begin.
struct QueueHead {
  QueueId queue;
  std::optional<base::Instant> first_due;  // of DueRange::kFirst, if it has any
  std::optional<base::Instant> retry_due;  // of DueRange::kRetry, if it has any
};

struct EndpointSnapshot {
  EndpointRecord record;
  std::vector<QueueHead> queues;
};

// Recovery: a delivery at or above the low-water mark, with its first attempt if that is known.
struct TailDelivery {
  Delivery delivery;
  std::optional<Attempt> success;  // delivered at the first attempt; maybe not yet in its endpoint
  bool unfinished = false;
};

// Everything that the new owner of a shard must know.
struct ShardSnapshot {
  base::ShardId shard = 0;
  uint64_t epoch = 0;
  std::vector<EndpointSnapshot> endpoints;
  base::Sequence low_water = 0;    // where the tail begins
  std::vector<TailDelivery> tail;  // in order of ids
  base::Instant next_expiry = base::Instant::never();
};

}  // namespace model
