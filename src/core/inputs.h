// The vocabulary of the core: what goes in. Every input is a fact; none asks the core to look at a
// clock or a disk.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "model/delivery.h"
#include "model/outcome.h"
#include "model/section.h"
#include "model/subscription.h"

namespace core {

// Names one attempt in flight. Late answers to a token that is gone are ignored.
struct AttemptToken {
  uint32_t slot = 0;
  uint32_t generation = 0;

  friend bool operator==(AttemptToken, AttemptToken) = default;
};

enum class LoadId : uint64_t { kNone = 0 };

// Chosen by whoever sends a command; comes back in CommandDone.
enum class CommandId : uint64_t { kNone = 0 };

struct ShardAcquired {
  model::ShardSnapshot snapshot;
};

struct ShardReleased {
  base::ShardId shard = 0;
};

// These deliveries are durable. In order of ids.
struct DeliveriesQueued {
  std::vector<model::Delivery> deliveries;
};

struct AttemptFinished {
  AttemptToken token;
  model::Outcome outcome;
};

enum class SectionOutcome : uint8_t { kCommitted, kNotCommitted, kFenced };

// A section that was asked for by Commit is durable, or is not (then the core says when to try
// again), or the shard belongs to somebody else now.
struct SectionDone {
  base::ShardId shard = 0;
  uint64_t number = 0;
  SectionOutcome outcome = SectionOutcome::kCommitted;
  std::vector<model::Delivery> promoted;  // ordered deliveries whose turn has come
};

struct DueLoaded {
  LoadId load = LoadId::kNone;
  base::EndpointId endpoint;
  model::QueueId queue;
  model::DuePage page;
};

struct ExpiryLoaded {
  LoadId load = LoadId::kNone;
  base::ShardId shard = 0;
  model::ExpiryPage page;
};

// The answer to LoadDelivery: nothing if it has ended or never was.
struct DeliveryLoaded {
  base::DeliveryId delivery;
  base::EndpointId endpoint;
  std::optional<model::Delivery> unfinished;
};

// Also for a subscription that is new, if it differs from the defaults.
struct SubscriptionChanged {
  model::SubscriptionSettings settings;
};

// From now on no delivery of it starts; those that come up are cancelled.
struct SubscriptionRemoved {
  base::SubscriptionId subscription;
};

enum class EndpointAction : uint8_t { kEnable, kPause, kResume };

struct EndpointCommand {
  CommandId command = CommandId::kNone;
  base::EndpointId endpoint;
  base::TenantId tenant;
  EndpointAction action = EndpointAction::kEnable;
};

struct CancelDelivery {
  CommandId command = CommandId::kNone;
  base::DeliveryId delivery;
  base::EndpointId endpoint;
};

// A deadline has come; see DeliveryCore::next_deadline().
struct Wake {};

// The process is about to stop: start nothing more.
struct Drain {};

using Input =
    std::variant<ShardAcquired, ShardReleased, DeliveriesQueued, AttemptFinished, SectionDone,
                 DueLoaded, ExpiryLoaded, DeliveryLoaded, SubscriptionChanged, SubscriptionRemoved,
                 EndpointCommand, CancelDelivery, Wake, Drain>;

}  // namespace core
