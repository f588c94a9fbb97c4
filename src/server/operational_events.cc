#include "server/operational_events.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/hash.h"
#include "match/filter.h"
#include "match/subscription.h"
#include "text/id_text.h"
#include "text/json_writer.h"
#include "text/time_text.h"

namespace server {
namespace {

std::string payload_of(const model::OperationalEvent& event) {
  std::string payload;
  text::JsonWriter json(payload);
  json.begin_object()
      .field("type", type_of(event.type))
      .field("endpoint", text::id_text(event.endpoint))
      .field("at", text::time_text(event.at));
  if (event.delivery.is_set()) {
    json.field("delivery", text::id_text(event.delivery));
  }
  if (event.withheld > 0) {
    json.field("withheld", event.withheld);
  }
  json.end_object();
  return payload;
}

}  // namespace

std::string_view type_of(model::OperationalType type) {
  switch (type) {
    case model::OperationalType::kEndpointDisabled:
      return "postrider.endpoint.disabled";
    case model::OperationalType::kEndpointFrozen:
      return "postrider.endpoint.frozen";
    case model::OperationalType::kEndpointEnabled:
      return "postrider.endpoint.enabled";
    case model::OperationalType::kDeliveryDropped:
      break;
  }
  return "postrider.delivery.dropped";
}

std::optional<model::Publish> OperationalEvents::expand(const model::OperationalEvent& event) {
  auto content = std::make_shared<model::Event>();
  content->tenant = event.tenant;
  content->type = type_of(event.type);
  content->object_code = "ENDPOINT";
  content->object_id = text::id_text(event.endpoint);
  content->payload = payload_of(event);
  const auto root = parser_.parse(content->payload);
  CHECK(root.has_value());
  std::vector<match::Match> matches;
  const auto count = parts_.index.match({.tenant = event.tenant,
                                         .type = content->type,
                                         .object_code = content->object_code,
                                         .object_id = content->object_id,
                                         .states = match::States::of(*root)},
                                        matches);
  // So small a payload is never too much for any number of filters; and if it were, what it tells
  // of must be committed all the same.
  if (!count.has_value() || matches.empty()) {
    return std::nullopt;
  }
  const base::ObjectId object{event.endpoint.value};
  return parts_.intake.make_publish({.id = parts_.next_event_id(),
                                     .tenant = event.tenant,
                                     .object = object,
                                     .operational = true,
                                     .content = std::move(content)},
                                    parts_.subscriptions.matched(matches));
}

}  // namespace server
