#include "tests/sim/world.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "tests/sim/trace.h"

namespace swarm {
namespace {

using base::Duration;
using base::Instant;

// An arbitrary morning, so that hours and unset instants are told apart.
constexpr Instant kStart = Instant::from_ms(1'790'000'000'000);
// Beyond the longest schedule a plan can draw, drained slowly.
constexpr Duration kEndLimit = Duration::hours(24 * 30);

checks::Settings settings_of(const core::Options& options) {
  return {.retry = options.retry,
          .retry_after_max = options.retry_after_max,
          .rate_attempts_min = options.circuit.rate_attempts_min,
          .rate_percent = options.circuit.rate_percent,
          .window_hours = options.circuit.window_hours,
          .consecutive_to_disable = options.circuit.consecutive_to_disable,
          .consecutive_to_freeze = options.circuit.consecutive_to_freeze,
          .silence_to_freeze = options.circuit.silence_to_freeze,
          .consecutive_limit = options.circuit.consecutive_limit,
          .probe_interval = options.circuit.probe_interval,
          .in_flight_max = options.lanes.in_flight_max,
          .endpoint_in_flight_max = options.lanes.endpoint_in_flight_max,
          .memory_only_max = options.lanes.memory_only_max,
          .memory_only_time = options.lanes.memory_only_time,
          .window_max = options.lanes.window_max,
          .attempt_deadline = options.attempt_deadline,
          .own_failure_delay = options.own_failure_delay,
          .restart_grace = options.restart_grace};
}

checks::CommandAnswer answer_of(core::CommandResult result) {
  switch (result) {
    case core::CommandResult::kDone:
      return checks::CommandAnswer::kDone;
    case core::CommandResult::kUnchanged:
      return checks::CommandAnswer::kUnchanged;
    case core::CommandResult::kTooLate:
      return checks::CommandAnswer::kTooLate;
    case core::CommandResult::kNotOwner:
    case core::CommandResult::kBusy:
      break;
  }
  return checks::CommandAnswer::kNotOwner;
}

checks::CommandKind kind_of(core::EndpointAction action) {
  switch (action) {
    case core::EndpointAction::kEnable:
      return checks::CommandKind::kEnable;
    case core::EndpointAction::kPause:
      return checks::CommandKind::kPause;
    case core::EndpointAction::kResume:
      break;
  }
  return checks::CommandKind::kResume;
}

}  // namespace

World::World(const Plan& plan, Options options)
    : plan_(plan),
      options_(std::move(options)),
      prng_(base::mix(plan.seed, 0x776f726c64)),
      owned_store_(make_store()),
      store_(*owned_store_),
      checks_(settings_of(plan.options)) {
  for (const PlannedEndpoint& endpoint : plan.endpoints) {
    receivers_.emplace_back(endpoint.phases, base::mix(plan.seed, endpoint.id.value));
  }
  for (const PlannedSubscription& subscription : plan.subscriptions) {
    settings_.push_back(subscription.settings);
    std::unique_ptr<core::RetrySchedule> schedule;
    if (subscription.settings.retry) {
      auto made = core::RetrySchedule::make(*subscription.settings.retry);
      CHECK(made.has_value());
      schedule = std::make_unique<core::RetrySchedule>(*std::move(made));
    }
    schedules_.push_back(std::move(schedule));
  }
}

std::unique_ptr<sim::SimStore> World::make_store() {
  const sim::SimStore::Options options{.seed = base::mix(plan_.seed, 0x73746f7265),
                                       .keep_ended = true};
  const sim::StoreHooks hooks{
      .committed =
          [this](const model::Section& section) {
            observe(checks::Committed{
                .shard = section.shard, .epoch = section.epoch, .number = section.number});
          },
      .published =
          [this](const model::Publish&, const std::vector<model::Delivery>& deliveries) {
            published_.insert(published_.end(), deliveries.begin(), deliveries.end());
            observe(checks::Queued{.deliveries = deliveries});
          },
      .fenced =
          [this](base::ShardId shard) {
            report_.coverage.add(Feature::kFencedSection);
            // A late answer of an earlier epoch says nothing about this one.
            if (lost_.contains(shard)) {
              shard_lost(shard);
            }
          },
      .trouble = [this] { observe(checks::StoreTrouble{}); }};
  return options_.make_store ? options_.make_store(options, hooks)
                             : std::make_unique<sim::SimStore>(options, hooks);
}

void World::observe(checks::Event event) {
  // May go back at a restart: not beyond the last committed time.
  last_seen_ = process_ ? process_->scheduler().now() : last_seen_;
  const checks::Observation observation{.at = last_seen_, .event = std::move(event)};
  report_.trace_hash = base::mix(report_.trace_hash, fingerprint(observation));
  report_.coverage.observe(observation);
  checks_.observe(observation);
  if (options_.trace) {
    options_.trace(observation);
  }
}

Instant World::wall_clock() const { return kStart + timeline_.elapsed() + wall_offset_; }

sim::Reply World::reply(const delivery::AttemptRequest& request) {
  const auto endpoint = std::find_if(
      plan_.endpoints.begin(), plan_.endpoints.end(),
      [&](const PlannedEndpoint& candidate) { return candidate.id == request.delivery.endpoint; });
  CHECK(endpoint != plan_.endpoints.end());
  const auto index = static_cast<size_t>(endpoint - plan_.endpoints.begin());
  sim::Reply reply = receivers_[index].reply(timeline_.elapsed());
  reply.is_swallowed = options_.is_canary && report_.attempts == 100;
  if (reply.is_applied && !is_success(reply.outcome)) {
    report_.coverage.add(Feature::kReplyLost);
  }
  return reply;
}

sim::Process::World World::parts_of_process() {
  return {
      .timeline = timeline_,
      .store = store_,
      .receivers = [this](const delivery::AttemptRequest& request) { return reply(request); },
      .hooks = {.started =
                    [this](const delivery::AttemptRequest& request) {
                      report_.attempts += 1;
                      observe(checks::AttemptStarted{.delivery = request.delivery,
                                                     .number = request.number,
                                                     .lane = request.lane,
                                                     .is_probe = request.is_probe});
                    },
                .ended = [this](const delivery::AttemptRequest& request,
                                const model::Outcome& outcome) { attempt_ended(request, outcome); },
                .applied =
                    [this](const delivery::AttemptRequest& request) {
                      observe(checks::ReceiverApplied{.delivery = request.delivery.id});
                    }},
      .match_operational =
          [this](const model::OperationalEvent& event) { return operational_matches(event); },
      .new_event_id = [this] { return new_event(); },
      .watch =
          [this](const model::Section& section) {
            observe(checks::Submitted{.section = section});
            for (const model::Transition& transition : section.transitions) {
              enable_quickly(transition);
            }
          }};
}

void World::start_process(Duration clock_step) {
  wall_offset_ = wall_offset_ + clock_step;
  is_ready_ = false;
  process_ = std::make_unique<sim::Process>(plan_.options, parts_of_process(), wall_clock());
  observe(checks::Restarted{});
  for (size_t i = 0; i < settings_.size(); ++i) {
    process_->dispatcher().subscription_changed(settings_[i]);
    if (removed_.contains(i)) {
      process_->dispatcher().subscription_removed(settings_[i].id);
    }
  }
  process_->start([this] {
    is_ready_ = true;
    lost_.clear();
    gone_.clear();
  });
}

delivery::MatchedSubscription World::match(size_t index) const {
  const model::SubscriptionSettings& settings = settings_[index];
  return {.id = settings.id,
          .endpoint = plan_.subscriptions[index].endpoint,
          .ordered = settings.ordered,
          .has_own_queue = settings.has_own_queue(),
          .schedule = schedules_[index].get()};
}

std::vector<delivery::MatchedSubscription> World::operational_matches(
    const model::OperationalEvent& event) const {
  std::vector<delivery::MatchedSubscription> matches;
  for (size_t i = 0; i < plan_.subscriptions.size(); ++i) {
    const PlannedSubscription& subscription = plan_.subscriptions[i];
    if (subscription.wants_operational && subscription.tenant == event.tenant &&
        !removed_.contains(i)) {
      matches.push_back(match(i));
    }
  }
  return matches;
}

void World::publish(const PlannedPublish& planned) {
  if (!is_ready_) {
    return;
  }
  std::vector<delivery::MatchedSubscription> matches;
  for (const size_t index : planned.subscriptions) {
    if (!removed_.contains(index)) {
      matches.push_back(match(index));
    }
  }
  const base::TenantId tenant = plan_.subscriptions[planned.subscriptions.front()].tenant;
  process_->intake().publish({.id = new_event(), .tenant = tenant, .object = planned.object},
                             matches, [](const delivery::Intake::Accepted&) {});
  // Memory is fullest in the middle of a burst.
  if (prng_.chance(10)) {
    timeline_.call_after(Duration::ms(prng_.range(0, 500)), [this] { count(); });
  }
}

void World::act(const PlannedAction& action) {
  if (!is_ready_) {
    return;
  }
  switch (action.kind) {
    case ActionKind::kCrash:
      if (action.is_delayed) {
        crash_after_retry_ = &action;
      } else {
        crash(action);
      }
      break;
    case ActionKind::kLoseShard:
      lose_shard(action);
      break;
    case ActionKind::kStoreTrouble:
      trouble_store(action.length);
      break;
    case ActionKind::kEnable:
      command(action.target, core::EndpointAction::kEnable);
      break;
    case ActionKind::kPause:
      command(action.target, core::EndpointAction::kPause);
      break;
    case ActionKind::kResume:
      command(action.target, core::EndpointAction::kResume);
      break;
    case ActionKind::kCancel:
      cancel_some();
      break;
    case ActionKind::kRedeliver:
      redeliver_some();
      break;
    case ActionKind::kRemoveSubscription:
      if (action.is_delayed) {
        removes_after_own_failure_ = true;
      } else {
        remove_subscription(action.target);
      }
      break;
    case ActionKind::kLimitSubscription:
      limit_subscription(action.target);
      break;
  }
}

void World::crash(const PlannedAction& action) {
  if (process_->core().unfinished().held > 0) {
    report_.coverage.add(Feature::kCrashWithHeldWork);
  }
  if (action.clock_step != Duration()) {
    report_.coverage.add(action.clock_step > Duration() ? Feature::kClockForward
                                                        : Feature::kClockBackward);
  }
  store_.crash();
  observe(checks::Crashed{});
  process_.reset();
  is_ready_ = false;
  timeline_.call_after(action.length, [this, step = action.clock_step] { start_process(step); });
}

void World::attempt_ended(const delivery::AttemptRequest& request, const model::Outcome& outcome) {
  observe(checks::AttemptEnded{
      .delivery = request.delivery.id, .endpoint = request.delivery.endpoint, .outcome = outcome});
  if (removes_after_own_failure_ && outcome.kind == model::OutcomeKind::kNotStarted) {
    removes_after_own_failure_ = false;
    timeline_.call_after(Duration::ms(prng_.range(0, 900)),
                         [this, subscription = request.delivery.subscription.value - 1] {
                           if (is_ready_) {
                             remove_subscription(subscription);
                           }
                         });
  }
  const bool is_awaited =
      crash_after_retry_ != nullptr && is_success(outcome) && request.lane == model::Lane::kRetry;
  if (is_awaited) {
    const PlannedAction& action = *std::exchange(crash_after_retry_, nullptr);
    timeline_.call_after(Duration::ms(prng_.range(0, 3000)), [this, &action] {
      if (is_ready_) {
        crash(action);
      }
    });
  }
}

void World::lose_shard(const PlannedAction& action) {
  const base::ShardId shard = plan_.endpoints[action.target].id.shard();
  if (lost_.contains(shard) || !store_.take_shard(shard)) {
    return;
  }
  lost_.insert(shard);
  timeline_.call_after(action.length, [this, shard] { regain_shard(shard); });
}

void World::shard_lost(base::ShardId shard) {
  if (gone_.insert(shard).second) {
    observe(checks::ShardLost{.shard = shard});
  }
}

void World::regain_shard(base::ShardId shard) {
  if (!is_ready_ || !lost_.contains(shard)) {
    return;  // a crash came between, and its recovery took all shards
  }
  if (!gone_.contains(shard)) {
    shard_lost(shard);
    process_->dispatcher().release(shard);
  }
  observe(checks::ShardRegained{.shard = shard});
  process_->dispatcher().acquire({shard}, [this, shard] {
    lost_.erase(shard);
    gone_.erase(shard);
  });
}

void World::trouble_store(Duration length) {
  troubles_ += 1;
  store_.set_faults(plan_.troubled_store);
  timeline_.call_after(length, [this] {
    troubles_ -= 1;
    if (troubles_ == 0) {
      store_.set_faults(plan_.calm_store);
    }
  });
}

void World::command(size_t index, core::EndpointAction action) {
  const PlannedEndpoint& endpoint = plan_.endpoints[index];
  const uint64_t id = ++last_command_;
  observe(checks::CommandAsked{.command = id, .kind = kind_of(action), .endpoint = endpoint.id});
  process_->dispatcher().endpoint_command(
      endpoint.id, endpoint.tenant, action, [this, id](core::CommandResult result) {
        observe(checks::CommandAnswered{.command = id, .answer = answer_of(result)});
      });
}

// While attempts from before the change are still in flight.
void World::enable_quickly(const model::Transition& transition) {
  const bool is_closed =
      transition.from != transition.to && transition.to != model::CircuitState::kActive;
  if (!plan_.enables_quickly || !is_closed || !prng_.chance(60)) {
    return;
  }
  timeline_.call_after(Duration::ms(prng_.range(0, 4000)), [this, id = transition.endpoint] {
    for (size_t i = 0; is_ready_ && i < plan_.endpoints.size(); ++i) {
      if (plan_.endpoints[i].id == id) {
        command(i, core::EndpointAction::kEnable);
      }
    }
  });
}

void World::cancel_some() {
  if (published_.empty()) {
    return;
  }
  const base::DeliveryId id = published_[prng_.below(published_.size())].id;
  const sim::StoredDelivery* const stored = store_.tables().find(id);
  const model::Delivery delivery = stored->delivery;
  // Often just before it falls due, so that the command meets the start.
  const Duration until_due = delivery.due - process_->scheduler().now();
  const Duration early = Duration::ms(prng_.range(0, 800));
  const bool waits = !stored->end && until_due > early && prng_.chance(80);
  timeline_.call_after(waits ? until_due - early : Duration(), [this, delivery] {
    if (is_ready_) {
      cancel(delivery);
    }
  });
}

void World::cancel(const model::Delivery& delivery) {
  const uint64_t id = ++last_command_;
  observe(checks::CommandAsked{.command = id,
                               .kind = checks::CommandKind::kCancel,
                               .endpoint = delivery.endpoint,
                               .delivery = delivery.id});
  process_->dispatcher().cancel_delivery(
      delivery.id, delivery.endpoint, [this, id](core::CommandResult result) {
        observe(checks::CommandAnswered{.command = id, .answer = answer_of(result)});
      });
}

void World::redeliver_some() {
  if (published_.empty()) {
    return;
  }
  const model::Delivery& delivery = published_[prng_.below(published_.size())];
  const size_t subscription = delivery.subscription.value - 1;
  if (!removed_.contains(subscription)) {
    process_->intake().redeliver(new_event(),
                                 {.id = delivery.event,
                                  .tenant = delivery.tenant,
                                  .object = {},
                                  .operational = delivery.operational},
                                 match(subscription), [](const delivery::Intake::Accepted&) {});
  }
}

void World::remove_subscription(size_t subscription) {
  removed_.insert(subscription);
  observe(checks::CommandAsked{.command = ++last_command_,
                               .kind = checks::CommandKind::kRemoveSubscription,
                               .subscription = settings_[subscription].id});
  process_->dispatcher().subscription_removed(settings_[subscription].id);
}

void World::limit_subscription(size_t subscription) {
  if (removed_.contains(subscription)) {
    return;
  }
  settings_[subscription].rate_limit = {.count = 3, .period = Duration::seconds(10)};
  observe(checks::SubscriptionSet{.settings = settings_[subscription]});
  process_->dispatcher().subscription_changed(settings_[subscription]);
}

void World::count() {
  if (!is_ready_) {
    return;
  }
  const core::Unfinished unfinished = process_->core().unfinished();
  const core::Footprint footprint = process_->core().footprint();
  CHECK(footprint.census.unfinished() == unfinished);
  CHECK(footprint.census.circuits() == process_->core().circuits());
  const sim::Tally tally = store_.tables().recount();
  const bool is_quiet = lost_.empty() && store_.is_idle() && process_->dispatcher().is_quiet() &&
                        process_->intake().is_quiet();
  observe(checks::Counts{.waiting = unfinished.waiting,
                         .held = unfinished.held,
                         .in_flight = unfinished.in_flight,
                         .stored_created = tally.created,
                         .stored_delivered = tally.delivered,
                         .stored_dropped = tally.dropped,
                         .stored_cancelled = tally.cancelled,
                         .memory_only_max = footprint.memory_only_max,
                         .window_size_max = footprint.window_size_max,
                         .held_window_max = footprint.held_window_max,
                         .attempts_in_memory = footprint.attempts,
                         .is_quiet = is_quiet});
}

void World::run_until(Duration until) {
  while (timeline_.run_next(until)) {
  }
}

void World::enable_everything() {
  for (size_t i = 0; i < plan_.endpoints.size(); ++i) {
    command(i, core::EndpointAction::kResume);
    command(i, core::EndpointAction::kEnable);
  }
}

void World::end_faults() {
  store_.set_faults(plan_.calm_store);
  // Whatever is still down or lost comes back.
  const Duration step = Duration::minutes(1);
  while (!is_ready_ || !lost_.empty()) {
    run_until(timeline_.elapsed() + step);
  }
  store_.set_faults(plan_.calm_store);
  crash_after_retry_ = nullptr;
  enable_everything();
  observe(checks::FaultsEnded{});
}

bool World::everything_ended() { return store_.is_idle() && store_.tables().unfinished() == 0; }

RunReport World::run() {
  for (const model::SubscriptionSettings& settings : settings_) {
    observe(checks::SubscriptionSet{.settings = settings});
  }
  for (const PlannedPublish& planned : plan_.publishes) {
    timeline_.call_after(planned.at, [this, &planned] { publish(planned); });
  }
  for (const PlannedAction& action : plan_.actions) {
    timeline_.call_after(action.at, [this, &action] { act(action); });
  }
  store_.set_faults(plan_.calm_store);
  start_process({});
  const Duration step = Duration::minutes(60);
  for (Duration at = step; at < plan_.faults_end; at = at + step) {
    run_until(at);
    count();
  }
  run_until(plan_.faults_end);
  end_faults();
  const Duration limit = timeline_.elapsed() + kEndLimit;
  do {
    run_until(timeline_.elapsed() + step);
    count();
  } while (!everything_ended() && timeline_.elapsed() < limit);
  observe(checks::RunEnded{});
  if (!report_.coverage.seen().test(static_cast<size_t>(Feature::kCrash))) {
    report_.coverage.add(Feature::kCrashFree);
  }
  report_.violations = checks_.violations();
  report_.deliveries = store_.tables().tally().created;
  report_.endpoints = plan_.endpoints.size();
  report_.virtual_time = timeline_.elapsed();
  return std::move(report_);
}

}  // namespace swarm
