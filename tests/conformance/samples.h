// Deliveries, events and sections as a core would make them, with little to write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "model/document.h"
#include "model/section.h"

namespace conformance {

inline constexpr base::Instant kStart = base::Instant::from_ms(1'790'000'000'000);
inline constexpr base::ShardId kShard = 3;
inline constexpr base::EndpointId kEndpoint = base::EndpointId::make(kShard, 1);
inline constexpr base::TenantId kTenant{1};

inline model::Outcome response(uint16_t status) {
  return {.kind = model::OutcomeKind::kResponse, .status = status};
}

inline base::Instant after(int64_t ms) { return kStart + base::Duration::ms(ms); }

// What a delivery is like before it is published; times in milliseconds after the start.
struct New {
  base::EndpointId endpoint = kEndpoint;
  uint64_t subscription = 1;
  model::QueueId queue = model::kSharedQueue;
  uint64_t object = 0;
  int64_t queued = 0;
  int64_t last_slot = 100'000;
  bool recorded = true;
};

inline model::Delivery delivery_like(const New& what) {
  model::Delivery delivery;
  delivery.endpoint = what.endpoint;
  delivery.tenant = kTenant;
  delivery.subscription = {what.subscription};
  delivery.queue = what.queue;
  delivery.object = {what.object};
  delivery.queued_at = after(what.queued);
  delivery.due = after(what.queued);
  delivery.last_slot = after(what.last_slot);
  delivery.recorded = what.recorded;
  return delivery;
}

// A first attempt that is tried from memory, and has no record.
inline constexpr New kInMemory{.recorded = false};

inline model::Publish event_with(uint64_t id, const std::vector<New>& deliveries) {
  model::Publish publish{.event = {id}, .tenant = kTenant, .queued_at = kStart, .deliveries = {}};
  for (const New& what : deliveries) {
    publish.deliveries.push_back(delivery_like(what));
    publish.deliveries.back().event = {id};
    publish.queued_at = after(what.queued);
  }
  return publish;
}

inline model::Attempt attempt_of(const model::Delivery& delivery, const model::Outcome& outcome) {
  model::Attempt attempt;
  attempt.delivery = delivery.id;
  attempt.endpoint = delivery.endpoint;
  attempt.number = delivery.attempts + 1;
  attempt.ordinal = delivery.id.sequence() * 100 + attempt.number;
  attempt.lane = delivery.attempts == 0 ? model::Lane::kFresh : model::Lane::kRetry;
  attempt.started_at = delivery.due;
  attempt.finished_at = delivery.due + base::Duration::ms(7);
  attempt.outcome = outcome;
  return attempt;
}

// Changes take the delivery as the store last reported it.

inline model::DeliveryChange change_of(const model::Delivery& delivery) {
  return {.delivery = delivery.id,
          .attempt = {},
          .removed = delivery.recorded ? std::optional(delivery) : std::nullopt,
          .placed = {},
          .end = {},
          .owner = model::owner_of(delivery)};
}

inline model::DeliveryChange delivered(const model::Delivery& delivery) {
  model::DeliveryChange change = change_of(delivery);
  change.attempt = attempt_of(delivery, response(200));
  change.end = model::EndState::kDelivered;
  return change;
}

// Without an attempt: given up while held, or cancelled.
inline model::DeliveryChange ended(const model::Delivery& delivery, model::EndState end) {
  model::DeliveryChange change = change_of(delivery);
  change.end = end;
  return change;
}

inline model::DeliveryChange placed(const model::Delivery& delivery, const model::Delivery& next) {
  model::DeliveryChange change = change_of(delivery);
  change.placed = next;
  change.placed->recorded = true;
  return change;
}

inline model::DeliveryChange spilled(const model::Delivery& delivery) {
  return placed(delivery, delivery);
}

inline model::Delivery retry_of(model::Delivery delivery, int64_t due) {
  delivery.attempts += 1;
  delivery.range = model::DueRange::kRetry;
  delivery.due = after(due);
  delivery.recorded = true;
  return delivery;
}

// Failed, and due again at `due`.
inline model::DeliveryChange failed(const model::Delivery& delivery, int64_t due) {
  model::DeliveryChange change = placed(delivery, retry_of(delivery, due));
  change.attempt = attempt_of(delivery, response(503));
  return change;
}

inline model::DocumentChange document(std::string key, std::optional<std::string> value,
                                      std::optional<uint64_t> expected = {}) {
  return {.table = model::Table::kSubscriptions,
          .tenant = kTenant,
          .key = std::move(key),
          .value = std::move(value),
          .expected_revision = expected};
}

}  // namespace conformance
