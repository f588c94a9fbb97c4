// An endpoint in memory: its durable record, what is in flight, and, only while it has work, its
// backlog of queues.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/time.h"
#include "core/circuit.h"
#include "core/due_window.h"
#include "core/fifo.h"
#include "core/ramp.h"
#include "core/slab.h"
#include "model/delivery.h"
#include "model/endpoint.h"
#include "model/subscription.h"

namespace core {

// A first attempt without a record in the due index.
struct MemoryOnly {
  model::Delivery delivery;
  base::Instant arrived;  // never before that of the one ahead of it
};

// The queue of a subscription with limits of its own, or the one that all others share.
struct Queue {
  model::QueueId id;
  uint32_t in_flight = 0;        // not counted for the shared queue
  uint32_t spilling = 0;         // first attempts whose record is being committed
  Fifo<MemoryOnly> memory_only;  // oldest first
  DueWindow fresh;               // DueRange::kFirst, queued since the endpoint was released
  DueWindow drain;  // DueRange::kFirst, queued before that; while nothing is let out, all of them
  DueWindow retry;  // DueRange::kRetry

  void reset(model::QueueId queue);
  // First attempts wait in the due index: new ones must join them there to keep the order.
  bool has_spilled() const { return spilling > 0 || !fresh.is_empty(); }
  bool is_idle() const {
    return in_flight == 0 && memory_only.empty() && spilling == 0 && fresh.is_empty() &&
           drain.is_empty() && retry.is_empty();
  }
  DueWindow& window_of(const model::Delivery& delivery, base::Instant released_at, bool lets_out);
};

struct Endpoint;

// All queues of an endpoint with work. The shared one comes first, the others are sorted by id.
class Backlog {
 public:
  const Endpoint* owner = nullptr;  // null: nobody's
  std::vector<Queue> queues;        // never empty

  void reset(const Endpoint& endpoint);
  Queue* find(model::QueueId id) {
    return id == model::kSharedQueue ? &queues.front() : find_own(id);
  }
  Queue& find_or_add(model::QueueId id);
  // Queues of their own go when they are idle, so that a million subscriptions cost nothing.
  void drop_idle_queues();
  bool is_idle() const;
  size_t memory_only() const;
  // Of all its deliveries; never if it has none.
  base::Instant earliest_due() const;

 private:
  Queue* find_own(model::QueueId id);
};

struct RingLink {
  uint32_t previous = kNoIndex;
  uint32_t next = kNoIndex;
};

enum class TurnClass : uint8_t {
  kFreshHealthy,  // first attempts to endpoints whose last attempt succeeded
  kFreshSuspect,  // first attempts to endpoints whose last attempt failed, or that never succeeded
  kRetry,
  kNone,
};

// As what an endpoint is in the sums of all; see census.h.
struct Counted {
  enum class As : uint8_t { kNothing, kActive, kDisabled, kFrozen, kPaused };

  As as = As::kNothing;
  uint16_t in_flight = 0;
  uint64_t waiting_or_held = 0;
};

struct Endpoint {
  model::EndpointRecord record;

  // The circuit, as attempts remember it. Not durable: after a restart nothing is in flight.
  uint32_t state_changes = 0;
  uint32_t enables = 0;

  uint16_t in_flight = 0;        // until the outcome is durable
  uint16_t retry_in_flight = 0;  // of these in the retry lane
  uint16_t drain_in_flight = 0;  // of these draining by the ramp
  uint16_t ending = 0;           // ended in a section that is not durable yet
  bool probe_in_flight = false;
  bool dirty = false;  // the stored record lacks something that only an outcome record tells
  Ramp ramp;
  Counted counted;

  uint32_t tenant = kNoIndex;
  uint32_t backlog = kNoIndex;
  uint32_t first_attempt = kNoIndex;     // list of attempts in flight
  std::array<RingLink, 2> turn_links{};  // by lane: neighbours in the tenant's ring
  std::array<TurnClass, 2> turn_class{TurnClass::kNone, TurnClass::kNone};
  uint32_t shard_position = 0;  // in its shard's list

  CircuitStamp stamp() const {
    return {.changes = state_changes, .enables = enables, .state = record.state};
  }
  bool is_suspect() const { return record.last_attempt_failed || !record.last_success_at.is_set(); }
  // Unfinished and not in flight; which of the two it is called depends on the circuit.
  uint64_t waiting_or_held() const { return record.unfinished + ending - in_flight; }
};

}  // namespace core
