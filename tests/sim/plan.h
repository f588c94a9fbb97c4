// What happens in one simulated run, drawn from its seed: settings, tenants, endpoints,
// subscriptions, receivers, traffic and faults. Each seed draws its own mix, and each kind of fault
// is off in many of them: a bug that one fault heals (a crash, whose recovery finds what was
// forgotten) shows in runs without it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/options.h"
#include "model/subscription.h"
#include "sim/receiver.h"
#include "sim/sim_store.h"

namespace swarm {

struct PlannedSubscription {
  model::SubscriptionSettings settings;
  base::EndpointId endpoint;
  base::TenantId tenant;
  bool wants_operational = false;
};

struct PlannedEndpoint {
  base::EndpointId id;
  base::TenantId tenant;
  std::vector<sim::Phase> phases;
};

struct PlannedPublish {
  base::Duration at;
  base::ObjectId object;
  std::vector<size_t> subscriptions;  // indices
};

enum class ActionKind : uint8_t {
  kCrash,         // and restart after `length`, with the wall clock moved by `clock_step`
  kLoseShard,     // for `length`
  kStoreTrouble,  // the plan's store faults, for `length`
  kEnable,
  kPause,
  kResume,
  kCancel,     // some unfinished delivery
  kRedeliver,  // some ended delivery
  kRemoveSubscription,
  kLimitSubscription,  // an ordinary one gets a rate limit
};

struct PlannedAction {
  base::Duration at;
  ActionKind kind = ActionKind::kCrash;
  base::Duration length;
  base::Duration clock_step;
  size_t target = 0;  // endpoint or subscription, by kind
  // Not at once, but in a tight place: a crash right after the next retry that succeeds, a removal
  // right after the next attempt that could not start.
  bool is_delayed = false;
};

struct Plan {
  uint64_t seed = 0;
  bool uses_production_thresholds = false;
  core::Options options;
  sim::StoreFaults calm_store;  // delays only
  sim::StoreFaults troubled_store;
  bool enables_quickly = false;  // somebody often enables an endpoint within seconds
  std::vector<PlannedEndpoint> endpoints;
  std::vector<PlannedSubscription> subscriptions;
  std::vector<PlannedPublish> publishes;  // in order of time
  std::vector<PlannedAction> actions;     // in order of time
  base::Duration faults_end;              // then everything is up, and everything must end
};

Plan make_plan(uint64_t seed);

}  // namespace swarm
