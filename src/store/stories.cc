#include "store/stories.h"

#include <algorithm>
#include <string>
#include <utility>

#include "store/codec.h"
#include "store/event_walk.h"
#include "store/keys.h"

namespace store {
namespace {

using base::DeliveryId;
using model::Delivery;

// 0 if there is none.
base::Result<base::Sequence> find_sequence(const View& view, const EventQuery& query) {
  if (query.sequence != 0) {
    return query.sequence;
  }
  const std::string key = unique_key(query.tenant, query.unique_key);
  TRY(const std::optional<std::string> record, view.database.get(Family::kUnique, key));
  if (!record) {
    return base::Sequence{0};
  }
  TRY(const UniqueEntry entry, decode_unique(key, *record));
  return entry.sequence;
}

// The event itself, still without what became of its deliveries.
base::Result<std::optional<EventStory>> read_beginning(const View& view, base::TenantId tenant,
                                                       base::Sequence sequence) {
  const std::string key = sequence_key(sequence);
  TRY(const std::optional<std::string> record, view.database.get(Family::kEvents, key));
  if (!record) {
    return std::optional<EventStory>();
  }
  EventStory story{.sequence = sequence};
  TRY(story.head, decode_event_head(key, *record));
  TRY(const std::vector<SequenceRange> removed, read_removed(view));
  if (story.head.tenant != tenant || is_in_ranges(removed, sequence)) {
    return std::optional<EventStory>();
  }
  TRY(story.content, decode_event(key, *record));
  return std::optional(std::move(story));
}

// From where the scan is: it goes on behind this delivery's outcomes.
base::Result<DeliveryStory> read_story(const View& view, const Delivery& queued, Scan& outcomes) {
  DeliveryStory story{.delivery = queued, .outcomes = {}, .end = {}, .ended_at = {}};
  for (; outcomes.is_valid() && delivery_of_outcome(outcomes.key()) == queued.id; outcomes.next()) {
    TRY(OutcomeRecord outcome, decode_outcome(outcomes.key(), outcomes.value()));
    if (outcome.end) {
      story.end = outcome.end;
      story.ended_at = outcome.at;
    }
    story.outcomes.push_back(std::move(outcome));
  }
  if (!story.end) {
    TRY(const std::optional<Delivery> waiting, read_waiting(view, queued));
    story.delivery = waiting.value_or(queued);
  }
  return story;
}

base::Result<bool> read_stories(const View& view, size_t first, size_t count, EventStory& event) {
  const std::vector<Delivery>& queued = event.head.deliveries;
  const size_t from = std::min(first, queued.size());
  const size_t until = std::min(from + count, queued.size());
  if (from == until) {
    return true;
  }
  Scan outcomes(view.database, Family::kOutcomes, outcome_key(queued[from].id, 0),
                outcome_key({queued[until - 1].id.value + 1}, 0));
  for (size_t index = from; index < until; ++index) {
    TRY(DeliveryStory story, read_story(view, queued[index], outcomes));
    event.deliveries.push_back(std::move(story));
  }
  return outcomes.status();
}

}  // namespace

base::Result<std::optional<EventStory>> read_event_story(const View& view,
                                                         const EventQuery& query) {
  TRY(const base::Sequence sequence, find_sequence(view, query));
  TRY(std::optional<EventStory> story, read_beginning(view, query.tenant, sequence));
  if (story) {
    TRY([[maybe_unused]] const bool is_read,
        read_stories(view, query.first_delivery, query.deliveries_max, *story));
  }
  return story;
}

base::Result<std::optional<EventStory>> read_delivery_story(const View& view, base::TenantId tenant,
                                                            DeliveryId delivery) {
  TRY(std::optional<EventStory> story, read_beginning(view, tenant, delivery.sequence()));
  const uint64_t index = delivery.value & (DeliveryId::kFanOutMax - 1);
  if (!story || index >= story->head.deliveries.size()) {
    return std::optional<EventStory>();
  }
  TRY([[maybe_unused]] const bool is_read, read_stories(view, index, 1, *story));
  return story;
}

}  // namespace store
