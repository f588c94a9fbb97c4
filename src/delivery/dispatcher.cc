#include "delivery/dispatcher.h"

#include <utility>

#include "base/check.h"

namespace delivery {
namespace {

// Never 0, also when a generation has come round to 0 again.
AttemptId id_of(core::AttemptToken token) {
  return static_cast<AttemptId>((uint64_t{token.generation} << 32U) | (token.slot + 1));
}

core::SectionOutcome outcome_of(store::Status status) {
  switch (status) {
    case store::Status::kCommitted:
      return core::SectionOutcome::kCommitted;
    case store::Status::kFenced:
      return core::SectionOutcome::kFenced;
    case store::Status::kFailed:
    case store::Status::kUnknown:
    case store::Status::kConflict:  // of documents only
      break;
  }
  return core::SectionOutcome::kNotCommitted;
}

}  // namespace

Dispatcher::Dispatcher(const core::Options& options, Parts parts)
    : scheduler_(parts.scheduler),
      store_(parts.store),
      transport_(parts.transport),
      expand_(std::move(parts.expand)),
      watch_(std::move(parts.watch)),
      durable_(std::move(parts.durable)),
      core_(options),
      submit_(scheduler_, [this] { submit_batch(); }) {}

Dispatcher::~Dispatcher() { scheduler_.cancel(timer_); }

void Dispatcher::acquire(std::vector<base::ShardId> shards, std::function<void()> ready) {
  submit_batch();  // Under the epochs that it was made for.
  store_calls_ += 1;
  store_.acquire(std::move(shards),
                 [this, ready = std::move(ready)](std::vector<model::ShardSnapshot> snapshots) {
                   store_calls_ -= 1;
                   for (model::ShardSnapshot& snapshot : snapshots) {
                     outboxes_[snapshot.shard] = {.epoch = snapshot.epoch};
                     feed(core::ShardAcquired{.snapshot = std::move(snapshot)});
                   }
                   ready();
                 });
}

void Dispatcher::release(base::ShardId shard) {
  outboxes_[shard] = {};
  feed(core::ShardReleased{.shard = shard});
}

void Dispatcher::deliveries_queued(std::vector<model::Delivery> deliveries) {
  feed(core::DeliveriesQueued{.deliveries = std::move(deliveries)});
}

void Dispatcher::subscription_changed(const model::SubscriptionSettings& settings) {
  feed(core::SubscriptionChanged{.settings = settings});
}

void Dispatcher::subscription_removed(base::SubscriptionId subscription) {
  feed(core::SubscriptionRemoved{.subscription = subscription});
}

void Dispatcher::endpoint_command(base::EndpointId endpoint, base::TenantId tenant,
                                  core::EndpointAction action, Answer answer) {
  const auto command = static_cast<core::CommandId>(++last_command_);
  answers_.emplace(command, std::move(answer));
  feed(core::EndpointCommand{
      .command = command, .endpoint = endpoint, .tenant = tenant, .action = action});
}

void Dispatcher::cancel_delivery(base::DeliveryId delivery, base::EndpointId endpoint,
                                 Answer answer) {
  const auto command = static_cast<core::CommandId>(++last_command_);
  answers_.emplace(command, std::move(answer));
  feed(core::CancelDelivery{.command = command, .delivery = delivery, .endpoint = endpoint});
}

void Dispatcher::drain() { feed(core::Drain{}); }

void Dispatcher::feed(const core::Input& input) {
  // A local one, because an answer may bring the next command.
  core::Effects effects = std::exchange(effects_, {});
  core_.step(scheduler_.now(), input, effects);
  gather_writes(effects);
  for (const core::Effect& effect : effects) {
    carry_out(effect);
  }
  effects.clear();
  effects_ = std::move(effects);
  arm_timer();
}

void Dispatcher::gather_writes(core::Effects& effects) {
  for (core::Effect& effect : effects) {
    if (auto* commit = std::get_if<core::Commit>(&effect)) {
      put_into_outbox(*commit);
    } else if (const auto* again = std::get_if<core::Resubmit>(&effect)) {
      resubmit(again->shard);
    } else if (const auto* mark = std::get_if<core::AdvanceLowWater>(&effect)) {
      batch_.low_water = mark->sequence;
    }
  }
  if (!batch_.sections.empty() || batch_.low_water) {
    submit_.ask();
  }
}

void Dispatcher::carry_out(const core::Effect& effect) {
  if (const auto* attempt = std::get_if<core::StartAttempt>(&effect)) {
    start(*attempt);
  } else if (const auto* due = std::get_if<core::LoadDue>(&effect)) {
    load(*due);
  } else if (const auto* expired = std::get_if<core::LoadExpired>(&effect)) {
    load(*expired);
  } else if (const auto* found = std::get_if<core::LoadDelivery>(&effect)) {
    load(*found);
  } else if (const auto* done = std::get_if<core::CommandDone>(&effect)) {
    answer(*done);
  } else if (const auto* abandoned = std::get_if<core::AbandonAttempt>(&effect)) {
    transport_.abandon(id_of(abandoned->token));
  }
}

void Dispatcher::start(const core::StartAttempt& effect) {
  const core::AttemptToken token = effect.token;
  transport_.send({.id = id_of(token),
                   .delivery = effect.delivery,
                   .number = effect.number,
                   .lane = effect.lane,
                   .is_probe = effect.is_probe,
                   .deadline = effect.deadline},
                  [this, token](const model::Outcome& outcome) {
                    feed(core::AttemptFinished{.token = token, .outcome = outcome});
                  });
}

void Dispatcher::put_into_outbox(core::Commit& effect) {
  for (const model::OperationalEvent& event : effect.events) {
    if (auto publish = expand_(event)) {
      effect.section.publishes.push_back(*std::move(publish));
    }
  }
  if (watch_) {
    watch_(effect.section);
  }
  Outbox& outbox = outboxes_[effect.section.shard];
  outbox.sections.push_back(std::move(effect.section));
  if (!outbox.is_stalled) {
    batch_.sections.push_back(outbox.sections.back());
  }
}

void Dispatcher::resubmit(base::ShardId shard) {
  Outbox& outbox = outboxes_[shard];
  outbox.is_stalled = false;
  for (const model::Section& section : outbox.sections) {
    batch_.sections.push_back(section);
  }
}

void Dispatcher::load(const core::LoadDue& effect) {
  store_calls_ += 1;
  store_.load_due(effect.query, [this, load = effect.load, endpoint = effect.query.endpoint,
                                 queue = effect.query.queue](model::DuePage page) {
    store_calls_ -= 1;
    feed(core::DueLoaded{
        .load = load, .endpoint = endpoint, .queue = queue, .page = std::move(page)});
  });
}

void Dispatcher::load(const core::LoadExpired& effect) {
  store_calls_ += 1;
  store_.load_expired(
      effect.query, [this, load = effect.load, shard = effect.query.shard](model::ExpiryPage page) {
        store_calls_ -= 1;
        feed(core::ExpiryLoaded{.load = load, .shard = shard, .page = std::move(page)});
      });
}

void Dispatcher::load(const core::LoadDelivery& effect) {
  store_calls_ += 1;
  store_.load_delivery(
      effect.delivery, [this, effect](const std::optional<store::FoundDelivery>& found) {
        store_calls_ -= 1;
        core::DeliveryLoaded loaded{.delivery = effect.delivery, .endpoint = effect.endpoint};
        if (found && !found->end) {
          loaded.unfinished = found->delivery;
        }
        feed(loaded);
      });
}

void Dispatcher::answer(const core::CommandDone& effect) {
  auto found = answers_.extract(effect.command);
  CHECK(!found.empty());
  // Not inside this step: the answer may bring the next command.
  scheduler_.post([answer = std::move(found.mapped()), result = effect.result] { answer(result); });
}

void Dispatcher::submit_batch() {
  if (batch_.sections.empty() && !batch_.low_water) {
    return;
  }
  store_calls_ += 1;
  store_.commit(scheduler_.now(), std::exchange(batch_, {}), [this](store::BatchResult result) {
    store_calls_ -= 1;
    batch_done(result);
  });
}

void Dispatcher::batch_done(store::BatchResult& result) {
  for (store::SectionResult& section : result.sections) {
    section_done(section);
  }
}

void Dispatcher::section_done(store::SectionResult& result) {
  Outbox& outbox = outboxes_[result.shard];
  // From before the shard was lost and came back; or a repetition of this submission was answered
  // first.
  if (result.epoch != outbox.epoch || outbox.sections.empty() ||
      result.number < outbox.sections.front().number) {
    return;
  }
  switch (result.status) {
    case store::Status::kCommitted:
      CHECK_EQ(outbox.sections.front().number, result.number);
      if (durable_) {
        durable_(outbox.sections.front());
      }
      outbox.sections.pop_front();
      break;
    case store::Status::kFenced:
      outbox = {};
      break;
    case store::Status::kFailed:
    case store::Status::kUnknown:
    case store::Status::kConflict:  // of documents only
      outbox.is_stalled = true;
      break;
  }
  feed(core::SectionDone{.shard = result.shard,
                         .number = result.number,
                         .outcome = outcome_of(result.status),
                         .promoted = std::move(result.promoted)});
  if (!result.published.empty()) {
    deliveries_queued(std::move(result.published));
  }
}

void Dispatcher::arm_timer() {
  const std::optional<base::Instant> next = core_.next_deadline();
  const bool is_armed = timer_ != base::Scheduler::TimerId::kNone;
  // A timer that rings too early costs less than moving it each time.
  if (!next || (is_armed && timer_at_ <= *next)) {
    return;
  }
  scheduler_.cancel(timer_);
  timer_at_ = *next;
  timer_ = scheduler_.call_at(*next, [this] {
    timer_ = base::Scheduler::TimerId::kNone;
    feed(core::Wake{});
  });
}

}  // namespace delivery
