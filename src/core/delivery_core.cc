#include "core/delivery_core.h"

#include <algorithm>
#include <variant>

#include "base/check.h"
#include "core/attempts.h"
#include "core/checkpoint.h"
#include "core/commands.h"
#include "core/expiry.h"
#include "core/queueing.h"
#include "core/recovery.h"
#include "core/scheduling.h"
#include "core/sections.h"

namespace core {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

RetrySchedule checked_schedule(const Options& options) {
  auto schedule = check_options(options);
  CHECK(schedule.has_value());
  return *std::move(schedule);
}

}  // namespace

base::Result<RetrySchedule> check_options(const Options& options) {
  using base::ErrorCode;
  if (options.circuit.window_hours < 0 ||
      options.circuit.window_hours > model::HourlyWindow::kHours) {
    return base::fail(ErrorCode::kInvalid, "circuit.window: must be between 0 and 24 hours");
  }
  if (options.circuit.rate_percent > 100) {
    return base::fail(ErrorCode::kInvalid, "circuit.rate_percent: must be between 0 and 100");
  }
  if (options.circuit.probe_interval <= base::Duration()) {
    return base::fail(ErrorCode::kInvalid, "circuit.probe_interval: must be above 0");
  }
  if (options.circuit.consecutive_limit == 0) {
    return base::fail(ErrorCode::kInvalid, "circuit.consecutive_limit: must be above 0");
  }
  if (options.lanes.in_flight_max < 4 || options.lanes.endpoint_in_flight_max < 2 ||
      options.lanes.endpoint_in_flight_max > UINT16_MAX) {
    return base::fail(
        ErrorCode::kInvalid,
        "lanes.in_flight_max must be at least 4, lanes.endpoint_in_flight_max between "
        "2 and 65535: both lanes need room");
  }
  if (options.lanes.window_max == 0 || options.lanes.expiry_batch == 0) {
    return base::fail(ErrorCode::kInvalid, "lanes.window_max, lanes.expiry_batch: must be above 0");
  }
  return RetrySchedule::make(options.retry);
}

DeliveryCore::DeliveryCore(const Options& options) : state_(options, checked_schedule(options)) {}

void DeliveryCore::step(base::Instant now, const Input& input, Effects& effects) {
  CHECK_GE(now.ms(), state_.now.ms());
  state_.now = now;
  state_.effects = &effects;
  std::visit(Overloaded{
                 [&](const ShardAcquired& in) { shard_acquired(state_, in.snapshot); },
                 [&](const ShardReleased& in) { shard_released(state_, in.shard); },
                 [&](const DeliveriesQueued& in) { deliveries_queued(state_, in.deliveries); },
                 [&](const AttemptFinished& in) { attempt_finished(state_, in.token, in.outcome); },
                 [&](const SectionDone& in) {
                   if (!section_done(state_, in)) {
                     shard_released(state_, in.shard);
                   }
                 },
                 [&](const DueLoaded& in) { due_loaded(state_, in); },
                 [&](const ExpiryLoaded& in) { expiry_loaded(state_, in); },
                 [&](const DeliveryLoaded& in) { delivery_loaded(state_, in); },
                 [&](const SubscriptionChanged& in) { subscription_changed(in.settings); },
                 [&](const SubscriptionRemoved& in) { subscription_removed(in.subscription); },
                 [&](const EndpointCommand& in) { endpoint_command(state_, in); },
                 [&](const CancelDelivery& in) { cancel_delivery(state_, in); },
                 [&](const Wake&) {},
                 [&](const Drain&) { state_.draining = true; },
             },
             input);
  wake();
  pump(state_);
  close_sections(state_);
  state_.effects = nullptr;
}

// Serves every timer that is due, whatever the input was: an input may come late.
void DeliveryCore::wake() {
  restart_postponed(state_);
  const size_t due_at_most = state_.timers.size();
  for (size_t i = 0; i < due_at_most; ++i) {
    const auto owner = state_.timers.pop_due(state_.now);
    if (!owner) {
      return;
    }
    if (*owner < base::kShardCount) {
      const auto shard = static_cast<base::ShardId>(*owner);
      resubmit_if_due(state_, shard);
      expire_if_due(state_, shard);
    } else if (*owner == State::kCheckpointOwner) {
      checkpoint_if_due(state_);
    } else {
      refresh(state_, *owner - State::kFirstEndpointOwner);
    }
  }
}

std::optional<base::Instant> DeliveryCore::next_deadline() const {
  std::optional<base::Instant> next = state_.timers.next();
  if (!state_.postponed.empty()) {
    const base::Instant until = state_.postponed.front().until;
    next = next ? std::min(*next, until) : until;
  }
  return next;
}

bool DeliveryCore::wants_record(base::EndpointId id, model::QueueId queue_id) const {
  const uint32_t index = state_.endpoint_index.find(id.value);
  if (index == kNoIndex) {
    return false;
  }
  const Endpoint& endpoint = state_.endpoints[index];
  if (!endpoint.record.lets_out()) {
    return true;
  }
  if (endpoint.backlog == kNoIndex) {
    return false;
  }
  for (const Queue& queue : state_.backlogs[endpoint.backlog].queues) {
    if (queue.id == queue_id) {
      return queue.has_spilled();
    }
  }
  return false;
}

const model::EndpointRecord* DeliveryCore::endpoint(base::EndpointId id) const {
  const uint32_t index = state_.endpoint_index.find(id.value);
  return index == kNoIndex ? nullptr : &state_.endpoints[index].record;
}

bool DeliveryCore::is_in_flight(base::EndpointId id, base::DeliveryId delivery) const {
  const uint32_t index = state_.endpoint_index.find(id.value);
  return index != kNoIndex && find_attempt(state_, state_.endpoints[index], delivery) != kNoIndex;
}

const Unfinished& DeliveryCore::unfinished() const { return state_.census.unfinished(); }

const CircuitCounts& DeliveryCore::circuits() const { return state_.census.circuits(); }

std::optional<base::Instant> DeliveryCore::earliest_waiting() const {
  base::Instant earliest = base::Instant::never();
  for (uint32_t index = 0; index < state_.backlogs.size(); ++index) {
    const Backlog& backlog = state_.backlogs[index];
    if (backlog.owner != nullptr && backlog.owner->record.lets_out()) {
      earliest = std::min(earliest, backlog.earliest_due());
    }
  }
  return earliest == base::Instant::never() ? std::nullopt : std::optional(earliest);
}

Footprint DeliveryCore::footprint() const {
  Footprint sum;
  sum.endpoints = state_.endpoints.live();
  sum.endpoints_with_work = state_.backlogs.live();
  sum.attempts = state_.attempts.live();
  sum.timers = state_.timers.size();
  for (const Shard& shard : state_.shards) {
    for (const uint32_t index : shard.endpoints) {
      Endpoint endpoint = state_.endpoints[index];
      endpoint.counted = {};
      sum.census.count(endpoint);
      if (endpoint.backlog == kNoIndex) {
        continue;
      }
      const Backlog& backlog = state_.backlogs[endpoint.backlog];
      sum.memory_only_max = std::max(sum.memory_only_max, backlog.memory_only());
      size_t& window_max = endpoint.record.lets_out() ? sum.window_size_max : sum.held_window_max;
      for (const Queue& queue : backlog.queues) {
        window_max =
            std::max({window_max, queue.fresh.size(), queue.drain.size(), queue.retry.size()});
      }
    }
  }
  return sum;
}

void DeliveryCore::subscription_changed(const model::SubscriptionSettings& settings) {
  uint32_t index = state_.subscription_index.find(settings.id.value);
  if (index == kNoIndex) {
    index = state_.subscriptions.allocate();
    state_.subscription_index.insert(settings.id.value, index);
  }
  if (settings.rate_limit) {
    CHECK(settings.rate_limit->count > 0);
    CHECK_LE(settings.rate_limit->count, model::RateLimit::kCountMax);
  }
  Subscription& subscription = state_.subscriptions[index];
  subscription.settings = settings;
  subscription.schedule.reset();
  if (settings.retry) {
    auto schedule = RetrySchedule::make(*settings.retry);
    CHECK(schedule.has_value());
    subscription.schedule = *std::move(schedule);
  }
}

void DeliveryCore::subscription_removed(base::SubscriptionId id) {
  if (!state_.subscription_index.contains(id.value)) {
    subscription_changed({.id = id});
  }
  state_.subscriptions[state_.subscription_index.find(id.value)].removed = true;
}

}  // namespace core
