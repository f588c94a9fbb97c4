#include "delivery/intake.h"

#include <string>
#include <utility>

#include "base/check.h"

namespace delivery {

using base::ErrorCode;

Intake::Intake(Options options, const core::RetrySchedule& schedule, base::Scheduler& scheduler,
               store::Store& store, Dispatcher& dispatcher)
    : options_(options),
      schedule_(schedule),
      scheduler_(scheduler),
      store_(store),
      dispatcher_(dispatcher) {}

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
  model::Publish publish{
      .event = event.id, .tenant = event.tenant, .queued_at = scheduler_.now(), .deliveries = {}};
  publish.deliveries.reserve(matches.size());
  for (const MatchedSubscription& match : matches) {
    publish.deliveries.push_back(make_delivery(event, match));
  }
  return publish;
}

void Intake::publish(const NewEvent& event, const std::vector<MatchedSubscription>& matches,
                     Done done) {
  if (matches.size() > options_.deliveries_per_event_max) {
    done(base::fail(ErrorCode::kInvalid, "the event matches " + std::to_string(matches.size()) +
                                             " subscriptions; at most " +
                                             std::to_string(options_.deliveries_per_event_max) +
                                             " are possible"));
    return;
  }
  if (publishes_ >= options_.publishes_max) {
    done(base::fail(ErrorCode::kUnavailable, "too many publishes are waiting for the store"));
    return;
  }
  publishes_ += 1;
  submit({.publish = make_publish(event, matches), .done = std::move(done)});
}

void Intake::redeliver(base::EventId id, const NewEvent& event, const MatchedSubscription& match,
                       Done done) {
  if (publishes_ >= options_.publishes_max) {
    done(base::fail(ErrorCode::kUnavailable, "too many publishes are waiting for the store"));
    return;
  }
  model::Publish publish = make_publish(event, {match});
  publish.event = id;
  model::Delivery& delivery = publish.deliveries.front();
  delivery.range = model::DueRange::kRetry;
  delivery.recorded = true;
  delivery.object = {};
  publishes_ += 1;
  submit({.publish = std::move(publish), .done = std::move(done)});
}

void Intake::submit(Pending pending) {
  store::Batch batch;
  batch.publishes.push_back(pending.publish);
  store_.commit(scheduler_.now(), std::move(batch),
                [this, pending = std::move(pending)](store::BatchResult result) mutable {
                  CHECK_EQ(result.publishes.size(), 1U);
                  publish_done(pending, result.publishes.front());
                });
}

void Intake::publish_done(Pending& pending, store::PublishResult& result) {
  if (result.status == store::Status::kCommitted) {
    publishes_ -= 1;
    // First the dispatcher, so that nothing the producer does next can overtake its event.
    if (!result.is_repeat) {
      dispatcher_.deliveries_queued(result.deliveries);
    }
    pending.done(std::move(result.deliveries));
    return;
  }
  pending.may_be_stored = pending.may_be_stored || result.status == store::Status::kUnknown;
  if (pending.may_be_stored) {
    // If it is stored, somebody must send it: ask until that is known.
    scheduler_.call_at(scheduler_.now() + options_.retry_delay,
                       [this, again = std::move(pending)] { submit(again); });
    return;
  }
  publishes_ -= 1;
  pending.done(base::fail(ErrorCode::kUnavailable, "the store cannot take the event now"));
}

}  // namespace delivery
