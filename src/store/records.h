// Records as they are stored, where the model has no type of its own for them. Their bytes are in
// codec.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "model/delivery.h"
#include "model/endpoint.h"
#include "store/counts.h"

namespace store {

// An event as it is stored, without its content.
struct EventHead {
  base::EventId event;
  base::TenantId tenant;
  base::Instant queued_at;
  uint64_t digest = 0;
  std::string unique_key;
  std::vector<model::Delivery> deliveries;  // as they were queued
};

// What became of a delivery at one attempt, or without one.
struct OutcomeRecord {
  base::EndpointId endpoint;
  base::SubscriptionId subscription;
  std::optional<model::Attempt> attempt;
  std::optional<model::EndState> end;
  std::optional<base::Instant> next_due;
  base::Instant at;
};

struct StoredEndpoint {
  model::EndpointRecord record;
  WaitingCounts waiting;  // of what the record includes; see rollups.h
};

}  // namespace store
