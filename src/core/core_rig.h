// For tests: a delivery core with a store and a transport played by hand, on virtual time.
//
// The store answers at once, unless a test asks it to keep silent; it remembers the due index and
// how deliveries ended. Attempts wait until the test says how they end.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "core/delivery_core.h"
#include "core/rig_disk.h"

namespace core {

inline constexpr base::Instant kRigStart = base::Instant::from_ms(497'222LL * 3'600'000);
inline const model::Outcome kOk{.kind = model::OutcomeKind::kResponse, .status = 200};
inline const model::Outcome kBroken{.kind = model::OutcomeKind::kResponse, .status = 500};
inline const model::Outcome kNoStart{.kind = model::OutcomeKind::kNotStarted};

class CoreRig {
 public:
  struct New {
    uint64_t endpoint = 1;
    uint64_t tenant = 1;
    uint64_t subscription = 1;
    bool own_queue = false;
    bool recorded = false;
    bool blocked = false;
    bool operational = false;
    model::DueRange range = model::DueRange::kFirst;
    base::Duration late_by = {};  // it was queued so long before the store reported it
  };

  explicit CoreRig(const Options& options = {})
      : options_(options),
        schedule_(check_options(options).value()),
        core_(std::make_unique<DeliveryCore>(options)) {
    acquire();
  }

  // All endpoints of these tests are in shard 0.
  static base::EndpointId endpoint_id(uint64_t number) { return base::EndpointId::make(0, number); }

  // The shard comes (back) with all that is durable.
  void acquire() { step(ShardAcquired{.snapshot = disk_.snapshot(++epoch_)}); }
  void release() {
    forget_what_is_under_way();
    step(ShardReleased{.shard = 0});
  }
  // The process dies and a new one takes over.
  void restart() {
    forget_what_is_under_way();
    core_ = std::make_unique<DeliveryCore>(options_);
    acquire();
  }

  base::DeliveryId queue(const New& what) {
    model::Delivery delivery;
    delivery.id = base::DeliveryId::make(++last_sequence_, 0);
    delivery.event = {last_sequence_};
    delivery.endpoint = endpoint_id(what.endpoint);
    delivery.tenant = {what.tenant};
    delivery.subscription = {what.subscription};
    delivery.queue = what.own_queue ? delivery.subscription : model::kSharedQueue;
    delivery.object = {what.blocked ? 1U : 0U};
    delivery.queued_at = now_ - what.late_by;
    delivery.due = delivery.queued_at;
    delivery.last_slot = schedule_.last_slot(delivery);
    delivery.range = what.range;
    delivery.recorded = what.recorded || what.blocked;
    delivery.blocked = what.blocked;
    delivery.operational = what.operational;
    disk_.publish(delivery);
    step(DeliveriesQueued{.deliveries = {delivery}});
    return delivery.id;
  }
  base::DeliveryId queue() { return queue(New{}); }
  void queue_many(int count) {
    for (int i = 0; i < count; ++i) {
      queue();
    }
  }

  // Runs everything that happens by itself up to this time after the start.
  void run_to(base::Duration since_start) { run_to(kRigStart + since_start); }
  void run_to(base::Instant until) {
    for (int steps = 0; steps < 100'000; ++steps) {
      const auto next = core_->next_deadline();
      if (!next || *next > until) {
        now_ = std::max(now_, until);
        return;
      }
      now_ = std::max(now_, *next);
      step(Wake{});
    }
    CHECK(false && "the core never comes to rest");
  }
  void run_for(base::Duration time) { run_to(now_ + time); }
  // Nobody wakes the core before this time.
  void oversleep_to(base::Duration since_start) {
    now_ = kRigStart + since_start;
    step(Wake{});
  }

  void step(const Input& input) {
    Effects effects;
    core_->step(now_, input, effects);
    for (const Effect& effect : effects) {
      note(effect);
    }
    answer_all();
  }

  // The attempts that were started since the last call.
  std::vector<StartAttempt> take_starts() { return std::exchange(starts_, {}); }
  std::vector<base::DeliveryId> started() {
    std::vector<base::DeliveryId> ids;
    for (const StartAttempt& start : take_starts()) {
      ids.push_back(start.delivery.id);
      in_flight_.push_back(start);
    }
    return ids;
  }
  // The one attempt that was started since the last call.
  StartAttempt only_start() {
    auto all = take_starts();
    CHECK_EQ(all.size(), 1U);
    return all.front();
  }
  void finish(const StartAttempt& start, const model::Outcome& outcome) {
    step(AttemptFinished{.token = start.token, .outcome = outcome});
  }
  // Ends all attempts that are known to run, those that start meanwhile excepted.
  size_t finish_all(const model::Outcome& outcome) {
    started();
    const auto running = std::exchange(in_flight_, {});
    for (const StartAttempt& start : running) {
      finish(start, outcome);
    }
    return running.size();
  }

  void command(EndpointAction action, uint64_t endpoint = 1) {
    step(EndpointCommand{.command = next_command(),
                         .endpoint = endpoint_id(endpoint),
                         .tenant = {1},
                         .action = action});
  }
  void cancel(base::DeliveryId delivery, uint64_t endpoint = 1) {
    step(CancelDelivery{
        .command = next_command(), .delivery = delivery, .endpoint = endpoint_id(endpoint)});
  }
  // The answer to the latest command, if it has come.
  std::optional<CommandResult> answer() const {
    const auto found = answers_.find(static_cast<CommandId>(last_command_));
    return found == answers_.end() ? std::nullopt : std::optional(found->second);
  }

  // From now on commits (or reads) are not answered until the test says so.
  void hold_commits() { commits_are_held_ = true; }
  void hold_reads() { reads_are_held_ = true; }
  void answer_commits() {
    commits_are_held_ = false;
    answer_all();
  }
  void answer_reads() {
    reads_are_held_ = false;
    answer_all();
  }
  // The oldest commit under way ends like this.
  void end_commit(SectionOutcome outcome) {
    const model::Section section = sections_.front().section;
    step(SectionDone{.shard = section.shard, .number = section.number, .outcome = outcome});
  }
  size_t commits_under_way() const { return sections_.size(); }
  // Ordered deliveries that the next commit promotes.
  void promote(base::DeliveryId delivery) { promoted_.push_back(disk_.unblock(delivery)); }

  base::Instant now() const { return now_; }
  const DeliveryCore& core() const { return *core_; }
  const model::EndpointRecord& endpoint(uint64_t number = 1) const {
    return *core_->endpoint(endpoint_id(number));
  }
  const std::map<base::DeliveryId, model::Delivery>& disk() const { return disk_.recorded(); }
  std::optional<model::EndState> end_of(base::DeliveryId delivery) const {
    return disk_.end_of(delivery);
  }
  // Everything committed so far, in order.
  const std::vector<Commit>& committed() const { return committed_; }
  const std::vector<Resubmit>& resubmits() const { return resubmits_; }
  const std::vector<AbandonAttempt>& abandoned() const { return abandoned_; }
  std::vector<model::OperationalType> events() const {
    std::vector<model::OperationalType> types;
    for (const Commit& commit : committed_) {
      for (const model::OperationalEvent& event : commit.events) {
        types.push_back(event.type);
      }
    }
    return types;
  }

 private:
  CommandId next_command() { return static_cast<CommandId>(++last_command_); }

  void note(const Effect& effect) {
    if (const auto* start = std::get_if<StartAttempt>(&effect)) {
      starts_.push_back(*start);
    } else if (const auto* commit = std::get_if<Commit>(&effect)) {
      sections_.push_back(*commit);
    } else if (const auto* again = std::get_if<Resubmit>(&effect)) {
      resubmits_.push_back(*again);
    } else if (const auto* done = std::get_if<CommandDone>(&effect)) {
      answers_[done->command] = done->result;
    } else if (const auto* gone = std::get_if<AbandonAttempt>(&effect)) {
      abandoned_.push_back(*gone);
    } else if (!std::holds_alternative<AdvanceLowWater>(effect)) {
      reads_.push_back(disk_.read(effect));
    }
  }

  void answer_all() {
    if (is_answering_) {
      return;
    }
    is_answering_ = true;
    while ((!commits_are_held_ && !sections_.empty()) || (!reads_are_held_ && !reads_.empty())) {
      if (!commits_are_held_ && !sections_.empty()) {
        commit_oldest();
      } else {
        const Input answer = reads_.front();
        reads_.pop_front();
        step(answer);
      }
    }
    is_answering_ = false;
  }

  void commit_oldest() {
    const Commit commit = sections_.front();
    sections_.pop_front();
    committed_.push_back(commit);
    disk_.apply(commit.section);
    step(SectionDone{.shard = commit.section.shard,
                     .number = commit.section.number,
                     .outcome = SectionOutcome::kCommitted,
                     .promoted = std::exchange(promoted_, {})});
  }

  void forget_what_is_under_way() {
    sections_.clear();
    reads_.clear();
    starts_.clear();
    in_flight_.clear();
  }

  Options options_;
  RetrySchedule schedule_;
  std::unique_ptr<DeliveryCore> core_;
  base::Instant now_ = kRigStart;
  base::Sequence last_sequence_ = 0;
  uint64_t last_command_ = 0;
  uint64_t epoch_ = 0;

  bool commits_are_held_ = false;
  bool reads_are_held_ = false;
  bool is_answering_ = false;
  std::deque<Commit> sections_;  // submitted, not answered
  std::deque<Input> reads_;      // answers that are on their way
  std::vector<model::Delivery> promoted_;

  RigDisk disk_;
  std::vector<Commit> committed_;
  std::vector<StartAttempt> starts_;
  std::vector<StartAttempt> in_flight_;
  std::vector<Resubmit> resubmits_;
  std::vector<AbandonAttempt> abandoned_;
  std::map<CommandId, CommandResult> answers_;
};

}  // namespace core
