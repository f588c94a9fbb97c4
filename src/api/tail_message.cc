#include "api/tail_message.h"

#include <optional>

#include "api/circuit_words.h"
#include "api/delivery_json.h"
#include "api/endpoint_json.h"
#include "text/id_text.h"
#include "text/json_writer.h"
#include "text/time_text.h"

namespace api {
namespace {

// Whose delivery it is: what every message about one begins with.
void write_delivery_of(text::JsonWriter& json, const model::DeliveryChange& change,
                       const model::Event* event) {
  json.field("delivery", text::id_text(change.delivery))
      .field("subscription", text::id_text(change.owner.subscription))
      .field("endpoint", text::id_text(change.owner.endpoint));
  if (event == nullptr) {
    json.key("event").null().key("event_type").null();
    return;
  }
  json.field("event", event_name(event->id, change.delivery.sequence()))
      .field("event_type", event->type);
}

}  // namespace

std::string_view name_of(TailKind kind) {
  switch (kind) {
    case TailKind::kEventAccepted:
      return "event_accepted";
    case TailKind::kAttemptEnded:
      return "attempt_ended";
    case TailKind::kDeliveryEnded:
      return "delivery_ended";
    case TailKind::kCircuitChanged:
      break;
  }
  return "circuit_changed";
}

std::string accepted_text(base::Sequence sequence, const model::Event& event, size_t deliveries,
                          base::Instant at) {
  std::string text;
  text::JsonWriter json(text);
  json.begin_object()
      .field("event", event_name(event.id, sequence))
      .field("event_type", event.type)
      .field("at", text::time_text(at))
      .field("matched", deliveries);
  if (!event.object_code.empty()) {
    json.field("object_code", event.object_code);
  }
  if (!event.object_id.empty()) {
    json.field("object_id", event.object_id);
  }
  if (event.redelivery_of.is_set()) {
    json.field("redelivery_of", text::id_text(event.redelivery_of));
  }
  if (deliveries == 0) {
    json.field("unmatched_reason", event.unmatched_reason);
  }
  json.end_object();
  return text;
}

std::string attempt_text(const model::DeliveryChange& change, const model::Event* event) {
  model::Attempt attempt = change.attempt.value();
  attempt.outcome.detail = nullptr;  // headers and body: GET /v1/deliveries/{id} has them
  std::string text;
  text::JsonWriter json(text);
  json.begin_object();
  write_delivery_of(json, change, event);
  json.key("attempt");
  write_attempt(json, attempt, change.placed ? std::optional(change.placed->due) : std::nullopt);
  json.end_object();
  return text;
}

std::string ended_text(const model::DeliveryChange& change, const model::Event* event,
                       base::Instant at) {
  std::string text;
  text::JsonWriter json(text);
  json.begin_object();
  write_delivery_of(json, change, event);
  json.field("state", name_of(change.end.value())).field("ended_at", text::time_text(at));
  json.end_object();
  return text;
}

std::string circuit_text(const model::Transition& transition, const core::CircuitOptions& options) {
  std::string text;
  text::JsonWriter json(text);
  json.begin_object().field("endpoint", text::id_text(transition.endpoint));
  write_transition(json, transition, options);
  json.end_object();
  return text;
}

}  // namespace api
