#include "delivery/intake.h"

#include <string>
#include <utility>

#include "base/check.h"

namespace delivery {

using base::ErrorCode;

Intake::Intake(const Options& options, Parts parts)
    : options_(options),
      schedule_(parts.schedule),
      scheduler_(parts.scheduler),
      store_(parts.store),
      dispatcher_(parts.dispatcher),
      stored_(std::move(parts.stored)),
      submit_(scheduler_, [this] { submit(); }) {}

model::Delivery Intake::make_delivery(const NewEvent& event, const MatchedSubscription& match,
                                      base::Instant now) const {
  model::Delivery delivery;
  delivery.event = event.id;
  delivery.endpoint = match.endpoint;
  delivery.tenant = event.tenant;
  delivery.subscription = match.id;
  delivery.queue = match.has_own_queue ? match.id : model::kSharedQueue;
  delivery.object = match.ordered ? event.object : base::ObjectId{};
  delivery.queued_at = now;
  delivery.due = delivery.queued_at;
  delivery.operational = event.operational;
  delivery.last_slot =
      (match.schedule != nullptr ? *match.schedule : schedule_).last_slot(delivery);
  delivery.recorded = dispatcher_.core().wants_record(match.endpoint, delivery.queue);
  return delivery;
}

model::Publish Intake::make_publish(NewEvent event,
                                    const std::vector<MatchedSubscription>& matches) const {
  const base::Instant now = scheduler_.now();
  std::vector<model::Delivery> deliveries;
  deliveries.reserve(matches.size());
  for (const MatchedSubscription& match : matches) {
    deliveries.push_back(make_delivery(event, match, now));
  }
  return {.event = event.id,
          .tenant = event.tenant,
          .queued_at = now,
          .deliveries = std::move(deliveries),
          .content = std::move(event.content),
          .unique_key = std::move(event.unique_key),
          .digest = event.digest};
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

void Intake::publish(NewEvent event, const std::vector<MatchedSubscription>& matches, Done done) {
  if (auto checked = check(matches.size()); !checked.has_value()) {
    done(std::unexpected(std::move(checked.error())));
    return;
  }
  take({.publish = make_publish(std::move(event), matches), .done = std::move(done)});
}

void Intake::publish_all(std::vector<Publication> publications, AllDone done) {
  const size_t count = publications.size();
  auto group = std::make_shared<Group>(std::vector<Accepted>(count), count, std::move(done));
  for (size_t place = 0; place < count; ++place) {
    Publication& publication = publications[place];
    auto checked = check(publication.matches.size());
    if (!checked.has_value()) {
      // Not inside this call.
      scheduler_.post([group, place, error = std::move(checked.error())] {
        answer(*group, place, std::unexpected(error));
      });
      continue;
    }
    take({.publish = make_publish(std::move(publication.event), publication.matches),
          .group = group,
          .place = place});
  }
}

void Intake::redeliver(base::EventId id, NewEvent event, const MatchedSubscription& match,
                       Done done) {
  if (auto checked = check(1); !checked.has_value()) {
    done(std::unexpected(std::move(checked.error())));
    return;
  }
  model::Publish publish = make_publish(std::move(event), {match});
  publish.event = id;
  model::Delivery& delivery = publish.deliveries.front();
  delivery.range = model::DueRange::kRetry;
  delivery.recorded = true;
  delivery.object = {};
  take({.publish = std::move(publish), .done = std::move(done)});
}

void Intake::take(Pending pending) {
  publishes_ += 1;
  waiting_.push_back(std::move(pending));
  submit_.ask();
}

void Intake::submit() {
  store::Batch batch;
  batch.publishes.reserve(waiting_.size());
  for (const Pending& one : waiting_) {
    batch.publishes.push_back(one.publish);
  }
  store_.commit(scheduler_.now(), std::move(batch),
                [this, pending = std::exchange(waiting_, {})](store::BatchResult result) mutable {
                  submitted(pending, result);
                });
}

void Intake::submitted(std::vector<Pending>& pending, store::BatchResult& result) {
  CHECK_EQ(result.publishes.size(), pending.size());
  tell_stored(pending, result);
  for (size_t index = 0; index < pending.size(); ++index) {
    settle(pending[index], result.publishes[index]);
  }
}

// Before anybody is answered, so that nothing a producer does next can overtake its event.
void Intake::tell_stored(const std::vector<Pending>& pending, const store::BatchResult& result) {
  std::vector<model::Delivery> queued;
  queued.reserve(pending.size());
  for (size_t index = 0; index < pending.size(); ++index) {
    const store::PublishResult& published = result.publishes[index];
    if (published.status != store::Status::kCommitted || published.is_repeat) {
      continue;
    }
    if (stored_) {
      stored_(published.sequence, pending[index].publish.content, published.deliveries);
    }
    queued.insert(queued.end(), published.deliveries.begin(), published.deliveries.end());
  }
  if (!queued.empty()) {
    dispatcher_.deliveries_queued(std::move(queued));
  }
}

void Intake::settle(Pending& pending, store::PublishResult& result) {
  if (result.status == store::Status::kCommitted) {
    publishes_ -= 1;
    answer(pending, Receipt{.sequence = result.sequence,
                            .is_repeat = result.is_repeat,
                            .is_other = result.is_repeat && result.digest != pending.publish.digest,
                            .content = pending.publish.content,
                            .deliveries = std::move(result.deliveries)});
    return;
  }
  pending.may_be_stored = pending.may_be_stored || result.status == store::Status::kUnknown;
  if (!pending.may_be_stored) {
    publishes_ -= 1;
    answer(pending, base::fail(ErrorCode::kUnavailable, "the store cannot take the event now"));
    return;
  }
  // If it is stored, somebody must send it: ask until that is known.
  scheduler_.call_at(scheduler_.now() + options_.retry_delay, [this, again = pending] {
    waiting_.push_back(again);
    submit_.ask();
  });
}

void Intake::answer(Pending& pending, Accepted accepted) {
  if (pending.group != nullptr) {
    answer(*pending.group, pending.place, std::move(accepted));
  } else {
    pending.done(std::move(accepted));
  }
}

void Intake::answer(Group& group, size_t place, Accepted accepted) {
  group.answers[place] = std::move(accepted);
  group.missing -= 1;
  if (group.missing == 0) {
    group.done(std::move(group.answers));
  }
}

}  // namespace delivery
