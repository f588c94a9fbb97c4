// Runs a plan: plays the producers, the receivers, the operator and fate, and reports everything
// that can be seen from outside to the checkers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "base/prng.h"
#include "core/retry_schedule.h"
#include "sim/process.h"
#include "sim/receiver.h"
#include "sim/sim_store.h"
#include "sim/timeline.h"
#include "tests/sim/checks/checks.h"
#include "tests/sim/coverage.h"
#include "tests/sim/plan.h"

namespace swarm {

struct RunReport {
  std::vector<checks::Violation> violations;
  Coverage coverage;
  uint64_t trace_hash = 0;
  uint64_t deliveries = 0;
  uint64_t attempts = 0;
  size_t endpoints = 0;
  base::Duration virtual_time;
};

class World {
 public:
  using Trace = std::function<void(const checks::Observation&)>;
  // For a store that does something beside.
  using MakeStore =
      std::function<std::unique_ptr<sim::SimStore>(sim::SimStore::Options, sim::StoreHooks)>;

  struct Options {
    // Swallows one attempt: the checkers must notice, or they notice nothing.
    bool is_canary = false;
    Trace trace = {};           // sees every observation; may be empty
    MakeStore make_store = {};  // may be empty
  };

  World(const Plan& plan, Options options);

  RunReport run();

 private:
  std::unique_ptr<sim::SimStore> make_store();
  void observe(checks::Event event);
  void start_process(base::Duration clock_step);
  sim::Process::World parts_of_process();
  sim::Reply reply(const delivery::AttemptRequest& request);
  std::vector<delivery::MatchedSubscription> operational_matches(
      const model::OperationalEvent& event) const;
  delivery::MatchedSubscription match(size_t subscription) const;

  void publish(const PlannedPublish& planned);
  void act(const PlannedAction& action);
  void crash(const PlannedAction& action);
  void attempt_ended(const delivery::AttemptRequest& request, const model::Outcome& outcome);
  void lose_shard(const PlannedAction& action);
  void shard_lost(base::ShardId shard);
  void regain_shard(base::ShardId shard);
  void trouble_store(base::Duration length);
  void command(size_t endpoint, core::EndpointAction action);
  void enable_quickly(const model::Transition& transition);
  void cancel_some();
  void cancel(const model::Delivery& delivery);
  void redeliver_some();
  void remove_subscription(size_t subscription);
  void limit_subscription(size_t subscription);

  void count();
  void end_faults();
  void enable_everything();
  void run_until(base::Duration until);
  bool everything_ended();
  base::Instant wall_clock() const;
  base::EventId new_event() { return {++last_event_}; }

  const Plan& plan_;
  Options options_;
  base::Prng prng_;
  sim::Timeline timeline_;
  std::unique_ptr<sim::SimStore> owned_store_;
  sim::SimStore& store_;
  std::vector<sim::Receiver> receivers_;
  std::vector<model::SubscriptionSettings> settings_;  // as they are now
  std::vector<std::unique_ptr<core::RetrySchedule>> schedules_;
  std::set<size_t> removed_;
  std::unique_ptr<sim::Process> process_;
  bool is_ready_ = false;
  std::set<base::ShardId> lost_;  // taken by somebody else
  std::set<base::ShardId> gone_;  // and the process knows
  base::Duration wall_offset_;
  base::Instant last_seen_;
  uint64_t last_event_ = 0;
  uint64_t last_command_ = 0;
  uint64_t troubles_ = 0;
  const PlannedAction* crash_after_retry_ = nullptr;
  bool removes_after_own_failure_ = false;
  std::vector<model::Delivery> published_;

  checks::Checks checks_;
  RunReport report_;
};

}  // namespace swarm
