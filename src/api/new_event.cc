#include "api/new_event.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/nearest_name.h"
#include "delivery/signature.h"
#include "match/filter.h"
#include "match/quote.h"
#include "match/subscription.h"
#include "match/type_pattern.h"
#include "text/id_text.h"
#include "text/trace_context.h"

namespace api {
namespace {

using match::JsonKind;
using match::JsonValue;

constexpr std::array<std::string_view, 5> kFields = {"type", "payload", "id", "object_code",
                                                     "object_id"};
constexpr size_t kObjectTextMax = 256;

struct Members {
  std::string_view type;
  std::string_view id;
  std::string_view object_code;
  std::string_view object_id;
  JsonValue payload;
};

Problem unknown_field(std::string_view name) {
  const auto nearest = base::nearest_name(name, kFields);
  return {.status = 400,
          .code = "unknown_field",
          .message = fmt::format("an event has no field {}", match::quote(name)),
          .field = std::string(name.substr(0, 100)),
          .hint = nearest.empty() ? "the fields are type, payload, id, object_code and object_id"
                                  : fmt::format("did you mean \"{}\"?", nearest)};
}

// Where a member's text goes; null for what is no text member.
std::string_view* place_of(Members& members, std::string_view key) {
  if (key == "type") {
    return &members.type;
  }
  if (key == "id") {
    return &members.id;
  }
  if (key == "object_code") {
    return &members.object_code;
  }
  return key == "object_id" ? &members.object_id : nullptr;
}

std::expected<Members, Problem> read_members(JsonValue root) {
  Members members;
  for (const match::JsonMember member : root.members()) {
    if (member.key == "payload") {
      members.payload = member.value;
      continue;
    }
    std::string_view* place = place_of(members, member.key);
    if (place == nullptr) {
      return std::unexpected(unknown_field(member.key));
    }
    if (member.value.kind() != JsonKind::kString || member.value.as_string().empty()) {
      return std::unexpected(invalid(member.key, "it is not a text, or an empty one",
                                     "write a text in double quotes, or leave the field out"));
    }
    *place = member.value.as_string();
  }
  return members;
}

std::optional<Problem> find_problem(const Members& members, const EventSource& source) {
  if (members.type.empty()) {
    return invalid("type", "the event has no type", "for example \"type\": \"order.created\"");
  }
  if (members.payload.kind() == JsonKind::kMissing) {
    return invalid("payload", "the event has no payload",
                   "put what receivers shall get under \"payload\"");
  }
  if (!members.id.empty() && !delivery::is_webhook_id(members.id)) {
    return invalid("id", "the id has a blank, a dot or a character beyond ASCII, or is too long",
                   "use up to 256 letters, digits and signs such as - and _");
  }
  for (const auto& [name, value] :
       {std::pair("object_code", members.object_code), std::pair("object_id", members.object_id)}) {
    if (value.size() > kObjectTextMax) {
      return invalid(name, fmt::format("it is longer than {} bytes", kObjectTextMax));
    }
  }
  if (!members.id.empty() && !source.idempotency_key.empty() &&
      members.id != source.idempotency_key) {
    return invalid("id", "it differs from the header Idempotency-Key",
                   "send one of the two, or the same text in both");
  }
  return std::nullopt;
}

base::ObjectId object_of(const Members& members) {
  const uint64_t hash =
      base::mix(base::hash_bytes(members.object_code), base::hash_bytes(members.object_id));
  return {hash == 0 ? 1 : hash};
}

Problem too_large(size_t bytes, size_t most) {
  return {.status = 413,
          .code = "event_too_large",
          .message = fmt::format("the event has {} bytes; at most {} are possible", bytes, most)};
}

// The members, all of them sound; valid until the backend's parser parses again.
std::expected<Members, Problem> parse_members(Backend& backend, const EventSource& source,
                                              std::string_view text) {
  if (text.size() > backend.limits.event_bytes_max) {
    return std::unexpected(too_large(text.size(), backend.limits.event_bytes_max));
  }
  const auto root = backend.parser.parse(text);
  if (!root.has_value()) {
    return std::unexpected(Problem{.code = "not_json", .message = root.error().detail});
  }
  if (root->kind() != JsonKind::kObject) {
    return std::unexpected(Problem{.code = "invalid",
                                   .message = "the event is not a JSON object",
                                   .hint = R"(write {"type": "...", "payload": {...}})"});
  }
  auto members = read_members(*root);
  if (members.has_value()) {
    if (auto problem = find_problem(*members, source)) {
      return std::unexpected(std::move(*problem));
    }
  }
  return members;
}

std::expected<std::shared_ptr<model::Event>, Problem> make_content(const Backend& backend,
                                                                   const Members& members,
                                                                   const EventSource& source,
                                                                   std::string_view text) {
  auto type = match::parse_event_type(members.type);
  if (!type.has_value()) {
    return std::unexpected(invalid("type", type.error().detail));
  }
  if (match::is_operational_type(*type)) {
    return std::unexpected(invalid("type", "types that begin with \"postrider.\" are ours",
                                   "choose another first word"));
  }
  const std::optional<std::string_view> payload = backend.parser.raw_member(text, "payload");
  if (!payload.has_value()) {
    return std::unexpected(invalid("payload", "the name of this field is spelt with escapes"));
  }
  auto content = std::make_shared<model::Event>();
  content->tenant = source.tenant;
  content->id = members.id;
  content->type = *std::move(type);
  content->object_code = members.object_code;
  content->object_id = members.object_id;
  content->payload = *payload;
  content->traceparent = source.traceparent;
  return content;
}

// Finds who wants the event, and says in its content why nobody does.
std::expected<std::vector<match::Match>, Problem> find_matches(const Backend& backend,
                                                               JsonValue payload,
                                                               model::Event& content) {
  const match::EventFacts facts{.tenant = content.tenant,
                                .type = content.type,
                                .object_code = content.object_code,
                                .object_id = content.object_id,
                                .states = match::States::of(payload)};
  std::vector<match::Match> matches;
  if (const auto count = backend.index.match(facts, matches); !count.has_value()) {
    return std::unexpected(invalid("payload", count.error().detail));
  }
  if (matches.empty()) {
    content.unmatched_reason = backend.index.explain_no_match(facts);
  }
  return matches;
}

}  // namespace

std::string traceparent_of(const http::Request& request) {
  if (request.fields.count("traceparent") != 1) {
    return {};
  }
  return text::read_traceparent(*request.fields.find("traceparent")).value_or("");
}

std::expected<delivery::Publication, Problem> read_event(Backend& backend,
                                                         const EventSource& source,
                                                         std::string_view text) {
  backend.index.prefetch(source.tenant);  // it arrives while the text is parsed
  auto members = parse_members(backend, source, text);
  if (!members.has_value()) {
    return std::unexpected(std::move(members.error()));
  }
  auto content = make_content(backend, *members, source, text);
  if (!content.has_value()) {
    return std::unexpected(std::move(content.error()));
  }
  const auto matches = find_matches(backend, members->payload, **content);
  if (!matches.has_value()) {
    return std::unexpected(matches.error());
  }
  delivery::Publication publication;
  publication.matches = backend.registry.subscriptions().matched(*matches);
  publication.event = {
      .id = backend.next_event_id(),
      .tenant = source.tenant,
      .object = object_of(*members),
      .content = *std::move(content),
      .unique_key = std::string(members->id.empty() ? source.idempotency_key : members->id)};
  if (!publication.event.unique_key.empty()) {
    publication.event.digest = base::hash_bytes(text);
  }
  return publication;
}

void write_receipt(text::JsonWriter& json, const delivery::Receipt& receipt) {
  const std::string& named = receipt.content->id;
  json.field("id", named.empty() ? text::event_id_text(receipt.sequence) : named);
  json.field("matched", receipt.deliveries.size());
  json.key("deliveries").begin_array();
  for (const model::Delivery& delivery : receipt.deliveries) {
    json.begin_object()
        .field("id", text::id_text(delivery.id))
        .field("subscription", text::id_text(delivery.subscription))
        .field("endpoint", text::id_text(delivery.endpoint))
        .end_object();
  }
  json.end_array();
}

}  // namespace api
