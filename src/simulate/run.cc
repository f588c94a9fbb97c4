#include "simulate/run.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "sim/process.h"
#include "sim/sim_store.h"
#include "sim/timeline.h"
#include "simulate/drain_watch.h"

namespace simulate {
namespace {

using base::Duration;
using base::Instant;

// On a full wall-clock hour, because the rolling window counts in those.
constexpr Instant kStart = Instant::from_ms(Duration::hours(500'000).count_ms());
constexpr base::TenantId kTenant{1};

// Everything ends long before: no retry is more than a year away.
constexpr Duration kPatience = Duration::hours(24 * 366 * 3);

base::EndpointId endpoint_id(uint32_t number) {
  return base::EndpointId::make(static_cast<base::ShardId>(number % base::kShardCount), number);
}

uint32_t endpoint_number(base::EndpointId id) { return static_cast<uint32_t>(id.value); }

class Run {
 public:
  Run(const Scenario& scenario, const RunHooks& hooks)
      : scenario_(scenario),
        hooks_(hooks),
        events_(event_count(scenario)),
        end_(std::min(scenario.until, scenario.publish_for + kPatience)),
        store_({.seed = 0, .keep_ended = false},
               {.committed = [this](const model::Section& section) { committed(section); }}),
        drains_(store_, result_.drains),
        process_(scenario.core,
                 {.timeline = timeline_,
                  .store = store_,
                  .receivers = [this](const auto& request) { return answer(request); },
                  .hooks = {},
                  .match_operational = {},
                  .new_event_id = {}},
                 kStart) {
    for (uint32_t number = 1; number <= scenario.endpoints; ++number) {
      subscriptions_.push_back({.id = {number}, .endpoint = endpoint_id(number)});
    }
    result_.slots = slots(scenario);
    result_.series.begin_interval({});
  }

  Result take() {
    process_.start([] {});
    settle();
    while (published_ < events_ && advance_to(event_time(scenario_.rate, published_))) {
      publish();
    }
    finish();
    return std::move(result_);
  }

 private:
  // Runs what is due now.
  void settle() {
    while (timeline_.run_next(timeline_.elapsed())) {
    }
  }

  // Runs everything up to and including `when`; false if the run ends before.
  bool advance_to(Duration when) {
    while (next_stop(when) < when && next_stop(when) < end_) {
      run_until(next_stop(when));
      stop_here();
    }
    if (when >= end_) {
      run_until(end_);
      return false;
    }
    run_until(when);
    return true;
  }

  void run_until(Duration when) {
    while (timeline_.run_next(when)) {
    }
  }

  // When something other than publishing is to be done.
  Duration next_stop(Duration when) const {
    Duration stop = std::min(when, result_.series.next_start());
    if (enabled_ < scenario_.enable_at.size()) {
      stop = std::min(stop, scenario_.enable_at[enabled_]);
    }
    return stop;
  }

  void stop_here() {
    const Duration now = timeline_.elapsed();
    while (enabled_ < scenario_.enable_at.size() && scenario_.enable_at[enabled_] <= now) {
      enabled_ += 1;
      enable_all();
    }
    if (result_.series.next_start() <= now) {
      result_.series.begin_interval(backlog());
    }
  }

  void enable_all() {
    for (const delivery::MatchedSubscription& subscription : subscriptions_) {
      process_.dispatcher().endpoint_command(subscription.endpoint, kTenant,
                                             core::EndpointAction::kEnable,
                                             [](core::CommandResult) {});
    }
    settle();
  }

  void publish() {
    published_ += 1;
    const base::EventId id{base::mix(scenario_.seed, published_)};
    process_.intake().publish(
        {.id = id, .tenant = kTenant, .object = {}, .operational = false}, subscriptions_,
        [](const delivery::Intake::Accepted& accepted) { CHECK(accepted.has_value()); });
    settle();
    const uint64_t unfinished = store_.tables().unfinished();
    if (unfinished > result_.peak.unfinished) {
      result_.peak = {.at = timeline_.elapsed(), .unfinished = unfinished};
    }
    report_progress();
  }

  // After the last event: until nothing is unfinished.
  void finish() {
    while (store_.tables().unfinished() > 0 && timeline_.elapsed() < end_) {
      const Duration stop = std::min(next_stop(kForever), end_);
      while (store_.tables().unfinished() > 0 && timeline_.run_next(stop)) {
        report_progress();
      }
      if (timeline_.elapsed() == stop) {
        stop_here();
      }
    }
    settle();
    sum_up();
  }

  void sum_up() {
    const sim::Tally& tally = store_.tables().tally();
    const core::Unfinished unfinished = process_.core().unfinished();
    result_.ended_at = timeline_.elapsed();
    result_.deliveries = {.created = tally.created,
                          .delivered = tally.delivered,
                          .waiting = unfinished.waiting,
                          .held = unfinished.held,
                          .in_flight = unfinished.in_flight,
                          .dropped = tally.dropped,
                          .cancelled = tally.cancelled,
                          .expired = 0};
    result_.is_complete = published_ == events_ && store_.tables().unfinished() == 0;
    result_.is_conserved = is_conserved();
  }

  // Three accounts that must agree: what was published here, the records that are in the store, and
  // what the core thinks it still has to do.
  bool is_conserved() const {
    const Counts& counts = result_.deliveries;
    const uint64_t ended = counts.delivered + counts.dropped + counts.cancelled + counts.expired;
    const uint64_t unfinished = counts.waiting + counts.held + counts.in_flight;
    const sim::Tally records = store_.tables().recount();
    return published_ * subscriptions_.size() == ended + unfinished &&
           counts.created == ended + unfinished &&
           records.created - records.ended() == unfinished && delivered_ == counts.delivered &&
           result_.drops.count() == counts.dropped;
  }

  Backlog backlog() const {
    const core::Unfinished now = process_.core().unfinished();
    return {.waiting = now.waiting, .held = now.held, .in_flight = now.in_flight};
  }

  sim::Reply scripted(Duration now) const {
    if (!is_down(scenario_, now)) {
      return {.delay = scenario_.latency, .outcome = {.status = 200}};
    }
    sim::Reply reply{.delay = scenario_.latency, .outcome = {.status = scenario_.status}};
    if (scenario_.retry_after > Duration()) {
      reply.outcome.retry_after = scenario_.retry_after;
    }
    return reply;
  }

  // An attempt starts.
  sim::Reply answer(const delivery::AttemptRequest& request) {
    const Duration now = timeline_.elapsed();
    const sim::Reply reply = hooks_.receiver ? hooks_.receiver(now, request) : scripted(now);
    const bool failed = !model::is_success(reply.outcome) || reply.delay >= request.deadline;
    result_.attempts += 1;
    result_.failures += failed ? 1 : 0;
    result_.probes += request.is_probe ? 1 : 0;
    Interval& interval = current_interval();
    interval.attempts += 1;
    interval.failures += failed ? 1 : 0;
    if (hooks_.keep_starts) {
      result_.starts.push_back({.at = now,
                                .endpoint = endpoint_number(request.delivery.endpoint),
                                .event = request.delivery.id.sequence(),
                                .number = request.number,
                                .is_probe = request.is_probe});
    }
    return reply;
  }

  // Things that happen exactly on a border belong to the interval that begins there.
  Interval& current_interval() {
    if (result_.series.next_start() <= timeline_.elapsed()) {
      result_.series.begin_interval(backlog());
    }
    return result_.series.current();
  }

  // Called before the section changes the tables.
  void committed(const model::Section& section) {
    for (const model::Transition& transition : section.transitions) {
      const uint32_t endpoint = endpoint_number(transition.endpoint);
      result_.changes.push_back(
          {.endpoint = endpoint, .at = transition.at - kStart, .transition = transition});
      drains_.circuit_changed(endpoint, transition, timeline_.elapsed());
    }
    for (const model::DeliveryChange& change : section.deliveries) {
      if (change.removed) {
        drains_.record_removed(endpoint_number(change.removed->endpoint), *change.removed,
                               timeline_.elapsed());
      }
      if (change.end) {
        ended(*change.end, change.attempt.has_value());
      }
    }
  }

  void ended(model::EndState end, bool by_attempt) {
    delivered_ += end == model::EndState::kDelivered ? 1 : 0;
    if (end != model::EndState::kDropped) {
      return;
    }
    (by_attempt ? result_.drops.after_last_attempt : result_.drops.while_held) += 1;
    result_.drops.last = timeline_.elapsed();
    if (!result_.drops.first) {
      result_.drops.first = timeline_.elapsed();
    }
    current_interval().dropped += 1;
  }

  void report_progress() {
    if (!hooks_.progress) {
      return;
    }
    const uint64_t work = 2 * events_ * subscriptions_.size();
    const uint64_t done = published_ * subscriptions_.size() + store_.tables().tally().ended();
    const int percent = static_cast<int>(done * 100 / work);
    if (percent > percent_) {
      percent_ = percent;
      hooks_.progress(percent);
    }
  }

  const Scenario& scenario_;
  const RunHooks& hooks_;
  const uint64_t events_;
  const Duration end_;
  Result result_;

  sim::Timeline timeline_;
  sim::SimStore store_;
  DrainWatch drains_;
  std::vector<delivery::MatchedSubscription> subscriptions_;
  sim::Process process_;

  uint64_t published_ = 0;
  uint64_t delivered_ = 0;
  size_t enabled_ = 0;  // of scenario_.enable_at
  int percent_ = -1;
};

}  // namespace

Result run(const Scenario& scenario, const RunHooks& hooks) {
  CHECK(check(scenario).has_value());
  return Run(scenario, hooks).take();
}

}  // namespace simulate
