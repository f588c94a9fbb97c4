// Runs a delivery core: samples the time once per input, carries out its effects, turns completions
// into inputs. Decides nothing.
//
// What one turn of the loop brings to be written goes to the store together, at the turn's end.
//
// Sections that are not durable yet are kept here, in order, so that the core need not: after a
// failed commit it only says when to submit them again.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/scheduler.h"
#include "base/turn_end.h"
#include "core/delivery_core.h"
#include "delivery/transport.h"
#include "store/store.h"

namespace delivery {

class Dispatcher {
 public:
  using Answer = std::function<void(core::CommandResult)>;
  // Finds the subscriptions that want an operational event and makes its publish; nothing if nobody
  // wants it.
  using Expand = std::function<std::optional<model::Publish>(const model::OperationalEvent&)>;

  using Watch = std::function<void(const model::Section&)>;

  struct Parts {
    base::Scheduler& scheduler;
    store::Store& store;
    Transport& transport;
    Expand expand;
    // Both may be empty, and call nothing of the dispatcher.
    Watch watch = {};    // sees every section at the moment when its content is decided
    Watch durable = {};  // sees it once it is durable, once, before anything that follows from it
  };

  Dispatcher(const core::Options& options, Parts parts);
  ~Dispatcher();

  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  // Acquires these shards, recovers what they hold, then calls `ready`.
  void acquire(std::vector<base::ShardId> shards, std::function<void()> ready);
  void release(base::ShardId shard);

  void deliveries_queued(std::vector<model::Delivery> deliveries);
  void subscription_changed(const model::SubscriptionSettings& settings);
  void subscription_removed(base::SubscriptionId subscription);

  // `answer` runs when the effect of the command is durable.
  void endpoint_command(base::EndpointId endpoint, base::TenantId tenant,
                        core::EndpointAction action, Answer answer);
  void cancel_delivery(base::DeliveryId delivery, base::EndpointId endpoint, Answer answer);

  // Starts nothing more.
  void drain();

  const core::DeliveryCore& core() const { return core_; }

  // Nothing is on its way to or from the store.
  bool is_quiet() const { return store_calls_ == 0 && !submit_.is_asked(); }

 private:
  struct Outbox {
    uint64_t epoch = 0;
    std::deque<model::Section> sections;  // not durable yet
    bool is_stalled = false;              // until the core says Resubmit
  };

  void feed(const core::Input& input);
  void gather_writes(core::Effects& effects);
  void carry_out(const core::Effect& effect);
  void start(const core::StartAttempt& effect);
  void put_into_outbox(core::Commit& effect);
  void resubmit(base::ShardId shard);
  void load(const core::LoadDue& effect);
  void load(const core::LoadExpired& effect);
  void load(const core::LoadDelivery& effect);
  void answer(const core::CommandDone& effect);
  void submit_batch();
  void batch_done(store::BatchResult& result);
  void section_done(store::SectionResult& result);
  void arm_timer();

  base::Scheduler& scheduler_;
  store::Store& store_;
  Transport& transport_;
  Expand expand_;
  Watch watch_;
  Watch durable_;
  core::DeliveryCore core_;

  core::Effects effects_;  // of the step under way; kept for its memory
  store::Batch batch_;     // gathers what this turn commits
  base::TurnEnd submit_;
  std::array<Outbox, base::kShardCount> outboxes_;
  std::map<core::CommandId, Answer> answers_;
  uint64_t last_command_ = 0;
  uint32_t store_calls_ = 0;

  base::Scheduler::TimerId timer_ = base::Scheduler::TimerId::kNone;
  base::Instant timer_at_;
};

}  // namespace delivery
