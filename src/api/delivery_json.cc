#include "api/delivery_json.h"

#include <algorithm>
#include <array>

#include "api/circuit_words.h"
#include "match/subscription.h"
#include "model/circuit_names.h"
#include "model/outcome_words.h"
#include "text/id_text.h"
#include "text/time_text.h"

namespace api {
namespace {

using base::Instant;
using model::Attempt;
using model::Delivery;
using model::EndState;

void write_time(text::JsonWriter& json, std::string_view name, Instant at) {
  if (at.is_set()) {
    json.field(name, text::time_text(at));
  } else {
    json.key(name).null();
  }
}

// Whose delivery it is and how it stands: what every view of it begins with.
void write_beginning(text::JsonWriter& json, const Backend& backend, const Delivery& delivery,
                     std::optional<EndState> end) {
  json.field("id", text::id_text(delivery.id))
      .field("subscription", text::id_text(delivery.subscription))
      .field("endpoint", text::id_text(delivery.endpoint))
      .field("state", state_word(backend, delivery, end));
  write_time(json, "queued_at", delivery.queued_at);
  if (!end) {
    write_time(json, "due_at", delivery.due);
    write_time(json, "last_slot_at", delivery.last_slot);
    json.field("waits_for_its_object", delivery.blocked);
  }
}

void write_event_of(text::JsonWriter& json, std::string_view event_id, std::string_view type,
                    const Delivery& delivery, base::DeliveryId redelivery_of) {
  json.field("event", event_name(event_id, delivery.id.sequence())).field("event_type", type);
  if (redelivery_of.is_set()) {
    json.field("redelivery_of", text::id_text(redelivery_of));
  }
}

void write_outcome(text::JsonWriter& json, const model::Outcome& outcome) {
  json.field("outcome", model::name_of(outcome.kind))
      .field("succeeded", is_success(outcome))
      .field("message", model::describe(outcome));
  if (outcome.status != 0) {
    json.field("status", outcome.status);
  }
  if (outcome.reason != model::OutcomeReason::kNone) {
    json.field("reason", model::name_of(outcome.reason));
  }
  if (outcome.retry_after) {
    json.field("retry_after_ms", outcome.retry_after->count_ms());
  }
}

void write_phases(text::JsonWriter& json, const model::PhaseTimes& phases) {
  json.key("phases_ms").begin_object();
  json.field("dns", phases.dns.count_ms())
      .field("connect", phases.connect.count_ms())
      .field("tls", phases.tls.count_ms())
      .field("write", phases.write.count_ms())
      .field("head", phases.head.count_ms())
      .field("body", phases.body.count_ms());
  json.end_object();
}

// "Name: value\r\n" each.
void write_headers(text::JsonWriter& json, std::string_view headers) {
  json.key("response_headers").begin_array();
  while (!headers.empty()) {
    const size_t end = std::min(headers.find("\r\n"), headers.size());
    const std::string_view line = headers.substr(0, end);
    headers.remove_prefix(std::min(end + 2, headers.size()));
    const size_t colon = std::min(line.find(':'), line.size());
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    json.begin_object().field("name", line.substr(0, colon)).field("value", value).end_object();
  }
  json.end_array();
}

void write_detail(text::JsonWriter& json, const model::AttemptDetail& detail) {
  write_phases(json, detail.phases);
  json.field("remote_address", detail.remote_address)
      .field("reused_connection", detail.is_reused_connection);
  if (!detail.explanation.empty()) {
    json.field("explanation", detail.explanation);
  }
  write_headers(json, detail.response_headers);
  json.field("response_body", detail.response_body).field("response_body_cut", detail.is_body_cut);
}

// Its own, if it has one.
const core::RetrySchedule& schedule_of(const Backend& backend, base::SubscriptionId subscription) {
  const std::array only{match::Match{.id = subscription, .endpoint = {}}};
  const auto found = backend.registry.subscriptions().matched(only);
  return found.front().schedule != nullptr ? *found.front().schedule : backend.schedule;
}

void write_coming(text::JsonWriter& json, const Backend& backend, const Delivery& delivery) {
  const core::RetrySchedule& schedule = schedule_of(backend, delivery.subscription);
  std::vector<Instant> coming = coming_attempts(schedule, delivery, backend.loop.now());
  if (backend.dispatcher.core().is_in_flight(delivery.endpoint, delivery.id)) {
    coming.erase(coming.begin());  // it is being made
  }
  json.key("coming_attempts").begin_array();
  for (const Instant at : coming) {
    json.value(text::time_text(at));
  }
  json.end_array();
}

}  // namespace

std::string_view name_of(EndState end) {
  switch (end) {
    case EndState::kDelivered:
      return "delivered";
    case EndState::kDropped:
      return "dropped";
    case EndState::kCancelled:
      break;
  }
  return "cancelled";
}

std::string_view state_word(const Backend& backend, const Delivery& delivery,
                            std::optional<EndState> end) {
  if (end) {
    return name_of(*end);
  }
  const core::DeliveryCore& core = backend.dispatcher.core();
  if (core.is_in_flight(delivery.endpoint, delivery.id)) {
    return "in_flight";
  }
  const model::EndpointRecord* const endpoint = core.endpoint(delivery.endpoint);
  return endpoint == nullptr || endpoint->lets_out() ? "waiting" : "held";
}

std::string event_name(std::string_view id, base::Sequence sequence) {
  return id.empty() ? text::event_id_text(sequence) : std::string(id);
}

std::vector<Instant> coming_attempts(const core::RetrySchedule& schedule, const Delivery& delivery,
                                     Instant now) {
  std::vector<Instant> coming;
  Delivery next = delivery;
  std::optional<Instant> at = std::max(delivery.due, now);
  while (at && coming.size() <= model::RetryPolicy::kRetriesMax) {
    coming.push_back(*at);
    next.attempts += 1;
    at = schedule.next_due(next, *at);
  }
  return coming;
}

void write_listed(text::JsonWriter& json, const Backend& backend,
                  const store::ListedDelivery& listed) {
  json.begin_object();
  write_beginning(json, backend, listed.delivery, listed.end);
  write_event_of(json, listed.event_id, listed.event_type, listed.delivery, listed.redelivery_of);
  json.field("attempt_count", listed.attempts);
  if (listed.end) {
    write_time(json, "ended_at", listed.last->at);
  }
  if (listed.last && listed.last->attempt) {
    json.key("last_attempt").begin_object();
    write_time(json, "finished_at", listed.last->attempt->finished_at);
    write_outcome(json, listed.last->attempt->outcome);
    json.end_object();
  }
  json.end_object();
}

void write_attempt(text::JsonWriter& json, const Attempt& attempt,
                   std::optional<Instant> next_due) {
  json.begin_object()
      .field("number", attempt.number)
      .field("lane", attempt.lane == model::Lane::kFresh ? "fresh" : "retry")
      .field("probe", attempt.is_probe);
  write_time(json, "started_at", attempt.started_at);
  write_time(json, "finished_at", attempt.finished_at);
  json.field("duration_ms", (attempt.finished_at - attempt.started_at).count_ms());
  write_outcome(json, attempt.outcome);
  json.field("circuit_before", model::name_of(attempt.circuit_before))
      .field("circuit_after", model::name_of(attempt.circuit_after));
  write_time(json, "next_due_at", next_due.value_or(Instant()));
  if (attempt.outcome.detail) {
    write_detail(json, *attempt.outcome.detail);
  }
  json.end_object();
}

void write_delivery(text::JsonWriter& json, const Backend& backend, const store::EventStory& event,
                    const store::DeliveryStory& story) {
  json.begin_object();
  write_beginning(json, backend, story.delivery, story.end);
  write_event_of(json, event.content.id, event.content.type, story.delivery,
                 event.content.redelivery_of);
  if (story.end) {
    write_time(json, "ended_at", story.ended_at);
  }
  json.key("attempts").begin_array();
  for (const store::OutcomeRecord& outcome : story.outcomes) {
    if (outcome.attempt) {
      write_attempt(json, *outcome.attempt, outcome.next_due);
    }
  }
  json.end_array();
  if (!story.end) {
    write_coming(json, backend, story.delivery);
  }
  json.end_object();
}

}  // namespace api
