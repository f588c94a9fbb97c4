#include "api/event_story.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/backend.h"
#include "api/delivery_json.h"
#include "api/parameters.h"
#include "text/id_text.h"
#include "text/json_writer.h"
#include "text/time_text.h"

namespace api {
namespace {

using Found = base::Result<std::optional<store::EventStory>>;

constexpr std::array<std::string_view, 2> kParameters = {"limit", "cursor"};
constexpr uint32_t kDeliveriesMax = 100;

void write_event(text::JsonWriter& json, const store::EventStory& event) {
  const model::Event& content = event.content;
  json.field("id", event_name(content.id, event.sequence))
      .field("type", content.type)
      .field("queued_at", text::time_text(event.head.queued_at));
  if (!content.object_code.empty()) {
    json.field("object_code", content.object_code);
  }
  if (!content.object_id.empty()) {
    json.field("object_id", content.object_id);
  }
  if (content.redelivery_of.is_set()) {
    json.field("redelivery_of", text::id_text(content.redelivery_of));
  }
  if (!content.traceparent.empty()) {
    json.field("traceparent", content.traceparent);
  }
  json.field("matched", event.head.deliveries.size());
  if (event.head.deliveries.empty()) {
    json.field("unmatched_reason", content.unmatched_reason);
  }
}

std::string story_text(const Backend& backend, const store::EventStory& event) {
  std::string body;
  text::JsonWriter json(body);
  json.begin_object();
  write_event(json, event);
  json.key("deliveries").begin_array();
  for (const store::DeliveryStory& story : event.deliveries) {
    write_delivery(json, backend, event, story);
  }
  json.end_array();
  json.key("cursor");
  const bool has_more = !event.deliveries.empty() &&
                        event.deliveries.back().delivery.id != event.head.deliveries.back().id;
  if (has_more) {
    json.value(text::id_text(event.deliveries.back().delivery.id));
  } else {
    json.null();
  }
  // As it came in, which was JSON.
  json.key("payload").raw(event.content.payload.empty() ? "null" : event.content.payload);
  json.end_object();
  return body;
}

void answer(const Backend& backend, Reply& reply, const Found& found) {
  if (!found.has_value()) {
    reply.problem(problem_of(found.error()));
  } else if (!*found) {
    reply.problem(no_such("event"));
  } else {
    reply.json(200, story_text(backend, **found));
  }
}

// An id may be one that the server gave, or a producer's own that merely looks like it.
void find(Backend& backend, std::shared_ptr<Reply> reply, const store::EventQuery& query) {
  backend.queries.find_event(query,
                             [&backend, reply = std::move(reply), query](const Found& found) {
                               const bool is_somebody_elses = found.has_value() && !*found;
                               if (!is_somebody_elses || query.sequence == 0) {
                                 answer(backend, *reply, found);
                                 return;
                               }
                               store::EventQuery by_key = query;
                               by_key.sequence = 0;
                               find(backend, reply, by_key);
                             });
}

}  // namespace

void show_event(Backend& backend, Call& call) {
  const auto parameters = Parameters::parse(call.request, kParameters);
  if (!parameters.has_value()) {
    call.reply.problem(parameters.error());
    return;
  }
  const auto limit = parameters->limit(kDeliveriesMax, kDeliveriesMax);
  const auto cursor = parameters->id("cursor", &text::parse_delivery_id, "dlv_...");
  if (!limit.has_value() || !cursor.has_value()) {
    call.reply.problem(limit.has_value() ? cursor.error() : limit.error());
    return;
  }
  const std::string& id = call.path["id"];
  store::EventQuery query{.tenant = call.caller.tenant,
                          .sequence = text::parse_event_id(id).value_or(0),
                          .unique_key = id,
                          .first_delivery = 0,
                          .deliveries_max = *limit};
  if (*cursor) {
    query.first_delivery =
        static_cast<uint32_t>((*cursor)->value % base::DeliveryId::kFanOutMax) + 1;
  }
  find(backend, call.keep(), query);
}

}  // namespace api
