#include "delivery/intake.h"

#include <string>
#include <utility>

#include "base/check.h"

namespace delivery {

using base::ErrorCode;

Intake::Intake(Options options, const core::RetrySchedule& schedule, base::Scheduler& scheduler,
               store::Store& store, Dispatcher& dispatcher, Stored stored)
    : options_(options),
      schedule_(schedule),
      scheduler_(scheduler),
      store_(store),
      dispatcher_(dispatcher),
      stored_(std::move(stored)) {}

model::Delivery Intake::make_delivery(const NewEvent& event,
                                      const MatchedSubscription& match) const {
  model::Delivery delivery;
  delivery.event = event.id;
  delivery.endpoint = match.endpoint;
  delivery.tenant = event.tenant;
  delivery.subscription = match.id;
  delivery.queue = match.has_own_queue ? match.id : model::kSharedQueue;
  delivery.object = match.ordered ? event.object : base::ObjectId{};
  delivery.queued_at = scheduler_.now();
  delivery.due = delivery.queued_at;
  delivery.operational = event.operational;
  delivery.last_slot =
      (match.schedule != nullptr ? *match.schedule : schedule_).last_slot(delivery);
  delivery.recorded = dispatcher_.core().wants_record(match.endpoint, delivery.queue);
  return delivery;
}

model::Publish Intake::make_publish(const NewEvent& event,
                                    const std::vector<MatchedSubscription>& matches) const {
  model::Publish publish{.event = event.id,
                         .tenant = event.tenant,
                         .queued_at = scheduler_.now(),
                         .deliveries = {},
                         .content = event.content,
                         .unique_key = event.unique_key,
                         .digest = event.digest};
  publish.deliveries.reserve(matches.size());
  for (const MatchedSubscription& match : matches) {
    publish.deliveries.push_back(make_delivery(event, match));
  }
  return publish;
}

base::Result<void> Intake::check(size_t matches) const {
  if (matches > options_.deliveries_per_event_max) {
    return base::fail(ErrorCode::kInvalid,
                      "the event matches " + std::to_string(matches) + " subscriptions; at most " +
                          std::to_string(options_.deliveries_per_event_max) + " are possible");
  }
  if (publishes_ >= options_.publishes_max) {
    return base::fail(ErrorCode::kUnavailable, "too many publishes are waiting for the store");
  }
  return {};
}

void Intake::publish(const NewEvent& event, const std::vector<MatchedSubscription>& matches,
                     Done done) {
  if (auto checked = check(matches.size()); !checked.has_value()) {
    done(std::unexpected(std::move(checked.error())));
    return;
  }
  publishes_ += 1;
  std::vector<Pending> pending(1);
  pending.front() = {.publish = make_publish(event, matches), .done = std::move(done)};
  submit(std::move(pending));
}

void Intake::publish_all(const std::vector<Publication>& publications, AllDone done) {
  // Gathers the answers, which come one by one.
  struct Answers {
    std::vector<Accepted> list;
    size_t missing;
    AllDone done;
  };
  const size_t count = publications.size();
  auto answers = std::make_shared<Answers>(std::vector<Accepted>(count), count, std::move(done));
  const auto answer = [answers](size_t index, Accepted accepted) {
    answers->list[index] = std::move(accepted);
    answers->missing -= 1;
    if (answers->missing == 0) {
      answers->done(std::move(answers->list));
    }
  };
  std::vector<Pending> pending;
  pending.reserve(count);
  for (size_t index = 0; index < count; ++index) {
    const Publication& publication = publications[index];
    auto checked = check(publication.matches.size());
    if (!checked.has_value()) {
      // Not inside this call.
      scheduler_.post([answer, index, error = std::move(checked.error())] {
        answer(index, std::unexpected(error));
      });
      continue;
    }
    publishes_ += 1;
    pending.push_back(
        {.publish = make_publish(publication.event, publication.matches),
         .done = [answer, index](Accepted accepted) { answer(index, std::move(accepted)); }});
  }
  submit(std::move(pending));
}

void Intake::redeliver(base::EventId id, const NewEvent& event, const MatchedSubscription& match,
                       Done done) {
  if (auto checked = check(1); !checked.has_value()) {
    done(std::unexpected(std::move(checked.error())));
    return;
  }
  model::Publish publish = make_publish(event, {match});
  publish.event = id;
  model::Delivery& delivery = publish.deliveries.front();
  delivery.range = model::DueRange::kRetry;
  delivery.recorded = true;
  delivery.object = {};
  publishes_ += 1;
  std::vector<Pending> pending(1);
  pending.front() = {.publish = std::move(publish), .done = std::move(done)};
  submit(std::move(pending));
}

void Intake::submit(std::vector<Pending> pending) {
  if (pending.empty()) {
    return;
  }
  store::Batch batch;
  batch.publishes.reserve(pending.size());
  for (const Pending& one : pending) {
    batch.publishes.push_back(one.publish);
  }
  store_.commit(scheduler_.now(), std::move(batch),
                [this, pending = std::move(pending)](store::BatchResult result) mutable {
                  CHECK_EQ(result.publishes.size(), pending.size());
                  for (size_t index = 0; index < pending.size(); ++index) {
                    publish_done(pending[index], result.publishes[index]);
                  }
                });
}

void Intake::publish_done(Pending& pending, store::PublishResult& result) {
  if (result.status == store::Status::kCommitted) {
    publishes_ -= 1;
    // First the dispatcher, so that nothing the producer does next can overtake its event.
    if (!result.is_repeat) {
      if (stored_) {
        stored_(result.sequence, pending.publish.content, result.deliveries);
      }
      if (!result.deliveries.empty()) {
        dispatcher_.deliveries_queued(result.deliveries);
      }
    }
    pending.done(Receipt{.sequence = result.sequence,
                         .is_repeat = result.is_repeat,
                         .digest = result.digest,
                         .deliveries = std::move(result.deliveries)});
    return;
  }
  pending.may_be_stored = pending.may_be_stored || result.status == store::Status::kUnknown;
  if (pending.may_be_stored) {
    // If it is stored, somebody must send it: ask until that is known.
    scheduler_.call_at(scheduler_.now() + options_.retry_delay,
                       [this, again = std::move(pending)] { submit({again}); });
    return;
  }
  publishes_ -= 1;
  pending.done(base::fail(ErrorCode::kUnavailable, "the store cannot take the event now"));
}

}  // namespace delivery
