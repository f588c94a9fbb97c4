#include "tests/sim/plan.h"

#include <algorithm>

#include "base/prng.h"

namespace swarm {
namespace {

using base::Duration;
using base::Prng;
using sim::Behaviour;
using sim::Mood;

// What this seed's mix contains at all.
struct Mix {
  bool crashes = false;
  bool clock_steps = false;
  bool shard_losses = false;
  bool store_trouble = false;
  bool store_delays = false;
  bool commands = false;
  bool cancels = false;
  bool removals = false;
  bool bursts = false;
  bool ordered = false;
  bool limits = false;
  bool operational = false;
  std::vector<Mood> moods;
};

Mix draw_mix(Prng& prng) {
  Mix mix;
  mix.crashes = prng.chance(50);
  mix.clock_steps = mix.crashes && prng.chance(40);
  mix.shard_losses = prng.chance(25);
  mix.store_trouble = prng.chance(40);
  mix.store_delays = prng.chance(60);
  mix.commands = prng.chance(60);
  mix.cancels = prng.chance(30);
  mix.removals = prng.chance(20);
  mix.bursts = prng.chance(50);
  mix.ordered = prng.chance(40);
  mix.limits = prng.chance(40);
  mix.operational = prng.chance(40);
  for (const Mood mood :
       {Mood::kStatus, Mood::kFlapping, Mood::kSlow, Mood::kHang, Mood::kReset, Mood::kThrottling,
        Mood::kReplyLost, Mood::kSometimes, Mood::kNoDescriptor}) {
    if (prng.chance(55)) {
      mix.moods.push_back(mood);
    }
  }
  return mix;
}

Duration minutes_between(Prng& prng, int64_t low, int64_t high) {
  return Duration::ms(prng.range(low * 60'000, high * 60'000));
}

model::RetryPolicy draw_retry(Prng& prng) {
  model::RetryPolicy policy;
  if (prng.chance(30)) {
    policy.anchor = model::RetryAnchor::kPreviousAttempt;
  }
  if (prng.chance(20)) {
    Duration delay;
    const int64_t count = prng.range(1, 8);
    for (int64_t i = 0; i < count; ++i) {
      delay = delay + minutes_between(prng, 1, 300);
      policy.delays.push_back(delay);
    }
  } else if (prng.chance(20)) {
    policy.unit = Duration::ms(prng.range(1000, 200'000));
    policy.max_retries = static_cast<int>(prng.range(0, 10));
  }
  if (prng.chance(25)) {
    policy.jitter_percent = static_cast<int>(prng.range(1, 100));
  }
  return policy;
}

// Small thresholds, so that every rule fires within a few hundred attempts.
core::CircuitOptions draw_circuit(Prng& prng) {
  core::CircuitOptions circuit;
  circuit.rate_attempts_min = static_cast<uint32_t>(prng.range(4, 25));
  circuit.rate_percent = prng.chance(35) ? 100 : static_cast<uint32_t>(prng.range(40, 90));
  constexpr std::array<int, 5> kWindows = {0, 1, 2, 6, 24};
  circuit.window_hours = kWindows[prng.below(kWindows.size())];
  circuit.consecutive_to_disable = prng.chance(20) ? 0 : static_cast<uint32_t>(prng.range(4, 40));
  circuit.consecutive_to_freeze = static_cast<uint32_t>(prng.range(4, 45));
  circuit.silence_to_freeze = minutes_between(prng, 30, 600);
  circuit.consecutive_limit = static_cast<uint32_t>(prng.range(20, 120));
  circuit.probe_interval = minutes_between(prng, 1, 15);
  return circuit;
}

core::Options draw_options(Prng& prng, bool uses_production_thresholds) {
  core::Options options;
  options.retry = draw_retry(prng);
  if (uses_production_thresholds) {
    return options;
  }
  options.circuit = draw_circuit(prng);
  if (prng.chance(60)) {
    options.lanes.in_flight_max = static_cast<uint32_t>(prng.range(4, 40));
  }
  options.lanes.endpoint_in_flight_max = static_cast<uint32_t>(prng.range(2, 12));
  options.lanes.memory_only_max = static_cast<uint32_t>(prng.range(1, 20));
  options.lanes.window_max = static_cast<uint32_t>(prng.range(3, 16));
  options.lanes.expiry_batch = static_cast<uint32_t>(prng.range(4, 16));
  if (prng.chance(30)) {
    options.retry_after_max = minutes_between(prng, 1, 30);
  }
  return options;
}

Behaviour draw_behaviour(Prng& prng, Mood mood) {
  Behaviour behaviour{.mood = mood};
  behaviour.latency = Duration::ms(prng.range(1, 400));
  constexpr std::array<uint16_t, 8> kStatuses = {301, 302, 400, 404, 410, 500, 502, 503};
  behaviour.status = kStatuses[prng.below(kStatuses.size())];
  behaviour.period = minutes_between(prng, 1, 90);
  behaviour.percent = static_cast<uint32_t>(prng.range(10, 95));
  if (mood == Mood::kSlow) {
    behaviour.latency = Duration::ms(prng.range(500, 6000));
  }
  if (mood == Mood::kThrottling) {
    constexpr std::array<uint16_t, 5> kThrottling = {429, 429, 503, 503, 500};
    behaviour.status = kThrottling[prng.below(kThrottling.size())];
    behaviour.retry_after = Duration::seconds(prng.range(0, 5400));
  }
  return behaviour;
}

std::vector<sim::Phase> draw_phases(Prng& prng, const Mix& mix, Duration until) {
  std::vector<sim::Phase> phases;
  const bool is_always_up = mix.moods.empty() || prng.chance(25);
  const bool is_dead = prng.chance(20);
  Duration at;
  do {
    const bool is_up = is_always_up || (!is_dead && prng.chance(45));
    const Mood mood = is_up ? Mood::kUp : mix.moods[prng.below(mix.moods.size())];
    phases.push_back({.from = at, .behaviour = draw_behaviour(prng, mood)});
    at = at + minutes_between(prng, 5, is_dead ? 3000 : 600);
  } while (at < until);
  // In the end all is well: quicker than the shortest deadline of a subscription.
  phases.push_back({.from = until, .behaviour = {.latency = Duration::ms(prng.range(1, 100))}});
  return phases;
}

void add_endpoints(Plan& plan, Prng& prng, const Mix& mix) {
  const auto tenants = static_cast<uint64_t>(prng.range(1, 6));
  const int64_t count = prng.range(20, 32);
  for (int64_t i = 0; i < count; ++i) {
    // Few shards, so that endpoints share them.
    const auto shard = static_cast<base::ShardId>(prng.below(8) * 31);
    plan.endpoints.push_back({.id = base::EndpointId::make(shard, static_cast<uint64_t>(i) + 1),
                              .tenant = {1 + prng.below(tenants)},
                              .phases = draw_phases(prng, mix, plan.faults_end)});
  }
}

void add_limits(model::SubscriptionSettings& settings, Prng& prng, const Mix& mix) {
  if (mix.ordered && prng.chance(40)) {
    settings.ordered = true;
  }
  if (mix.limits && prng.chance(30)) {
    settings.rate_limit = {.count = static_cast<uint32_t>(prng.range(1, 7)),
                           .period = Duration::seconds(prng.range(1, 60))};
  }
  if (mix.limits && prng.chance(30)) {
    settings.in_flight_max = static_cast<uint32_t>(prng.range(1, 4));
  }
  if (mix.limits && prng.chance(30)) {
    settings.deadline = Duration::ms(prng.range(200, 8000));
  }
  if (mix.limits && prng.chance(30)) {
    settings.retry = draw_retry(prng);
  }
}

void add_subscriptions(Plan& plan, Prng& prng, const Mix& mix) {
  for (const PlannedEndpoint& endpoint : plan.endpoints) {
    const int64_t count = prng.range(1, 3);
    for (int64_t i = 0; i < count; ++i) {
      PlannedSubscription subscription{.endpoint = endpoint.id, .tenant = endpoint.tenant};
      subscription.settings.id = {plan.subscriptions.size() + 1};
      subscription.wants_operational = mix.operational && prng.chance(15);
      add_limits(subscription.settings, prng, mix);
      plan.subscriptions.push_back(subscription);
    }
  }
}

void add_publishes(Plan& plan, Prng& prng, const Mix& mix) {
  const int64_t count = prng.range(500, plan.uses_production_thresholds ? 2500 : 1500);
  const int64_t until = plan.faults_end.count_ms();
  while (static_cast<int64_t>(plan.publishes.size()) < count) {
    PlannedPublish publish{.at = Duration::ms(prng.range(0, until - 1)),
                           .object = {1 + prng.below(4)}};
    const size_t first = prng.below(plan.subscriptions.size());
    publish.subscriptions.push_back(first);
    for (size_t other = 0; other < plan.subscriptions.size() && prng.chance(30); ++other) {
      if (other != first && plan.subscriptions[other].tenant == plan.subscriptions[first].tenant) {
        publish.subscriptions.push_back(other);
      }
    }
    const int64_t burst = mix.bursts && prng.chance(3) ? prng.range(10, 150) : 1;
    for (int64_t i = 0; i < burst; ++i) {
      plan.publishes.push_back(publish);
      publish.at = publish.at + Duration::ms(prng.range(0, 100));
    }
  }
  std::erase_if(plan.publishes,
                [&](const PlannedPublish& publish) { return publish.at >= plan.faults_end; });
  std::stable_sort(
      plan.publishes.begin(), plan.publishes.end(),
      [](const PlannedPublish& left, const PlannedPublish& right) { return left.at < right.at; });
}

void add_actions(Plan& plan, Prng& prng, ActionKind kind, int64_t count_max) {
  const int64_t count = prng.range(1, count_max);
  for (int64_t i = 0; i < count; ++i) {
    PlannedAction action{.at = Duration::ms(prng.range(0, plan.faults_end.count_ms() - 1)),
                         .kind = kind};
    // Mostly short, sometimes longer than the whole schedule of some deliveries.
    action.length = prng.chance(80) ? Duration::ms(prng.range(100, 120'000))
                                    : minutes_between(prng, 10, prng.chance(20) ? 3500 : 600);
    const bool needs_subscription =
        kind == ActionKind::kRemoveSubscription || kind == ActionKind::kLimitSubscription;
    action.target =
        prng.below(needs_subscription ? plan.subscriptions.size() : plan.endpoints.size());
    plan.actions.push_back(action);
  }
}

void add_all_actions(Plan& plan, Prng& prng, const Mix& mix) {
  if (mix.crashes) {
    add_actions(plan, prng, ActionKind::kCrash, 12);
  }
  if (mix.shard_losses) {
    add_actions(plan, prng, ActionKind::kLoseShard, 10);
  }
  if (mix.store_trouble) {
    add_actions(plan, prng, ActionKind::kStoreTrouble, 8);
  }
  if (mix.commands) {
    add_actions(plan, prng, ActionKind::kEnable, 40);
    add_actions(plan, prng, ActionKind::kPause, 12);
    add_actions(plan, prng, ActionKind::kResume, 30);
  }
  if (mix.cancels) {
    add_actions(plan, prng, ActionKind::kCancel, 150);
    add_actions(plan, prng, ActionKind::kRedeliver, 40);
  }
  if (mix.removals) {
    add_actions(plan, prng, ActionKind::kRemoveSubscription, 6);
    add_actions(plan, prng, ActionKind::kLimitSubscription, 4);
  }
  for (PlannedAction& action : plan.actions) {
    if (mix.clock_steps && action.kind == ActionKind::kCrash && prng.chance(60)) {
      action.clock_step = minutes_between(prng, -3000, 3000);
    }
    action.is_delayed = prng.chance(40);
  }
  std::stable_sort(
      plan.actions.begin(), plan.actions.end(),
      [](const PlannedAction& left, const PlannedAction& right) { return left.at < right.at; });
}

void draw_store(Plan& plan, Prng& prng, const Mix& mix) {
  if (mix.store_delays) {
    plan.calm_store.commit_delay_max = Duration::ms(prng.range(0, 30));
    plan.calm_store.report_delay_max = Duration::ms(prng.range(0, 10));
    plan.calm_store.read_delay_max = Duration::ms(prng.range(0, prng.chance(30) ? 900 : 40));
  }
  plan.troubled_store = plan.calm_store;
  plan.troubled_store.commit_delay_max = Duration::ms(prng.range(0, 3000));
  plan.troubled_store.failed_per_mille = static_cast<uint32_t>(prng.range(0, 400));
  plan.troubled_store.unclear_per_mille = static_cast<uint32_t>(prng.range(0, 400));
}

}  // namespace

Plan make_plan(uint64_t seed) {
  Prng prng(base::mix(seed, 0x706c616e));
  Plan plan;
  plan.seed = seed;
  plan.uses_production_thresholds = seed % 5 == 0;
  plan.faults_end = minutes_between(prng, 70 * 60, 150 * 60);
  const Mix mix = draw_mix(prng);
  plan.options = draw_options(prng, plan.uses_production_thresholds);
  draw_store(plan, prng, mix);
  plan.enables_quickly = mix.commands && prng.chance(50);
  add_endpoints(plan, prng, mix);
  add_subscriptions(plan, prng, mix);
  add_publishes(plan, prng, mix);
  add_all_actions(plan, prng, mix);
  return plan;
}

}  // namespace swarm
