#include "api/events.h"

#include <fmt/core.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/backend.h"
#include "api/event_counts.h"
#include "api/ndjson.h"
#include "api/new_event.h"
#include "http/grammar.h"

namespace api {
namespace {

constexpr size_t kIdempotencyKeyMax = 256;

// The media type, without its parameters.
std::string_view media_type(const http::Request& request) {
  const std::string_view whole = request.fields.find("Content-Type").value_or("");
  return http::trimmed(whole.substr(0, whole.find(';')));
}

Problem conflict() {
  return {.status = 409,
          .code = "other_event_with_this_id",
          .message = "another event was accepted under this id or Idempotency-Key",
          .hint = "a repeat must have exactly the same bytes; a new event needs a new id"};
}

std::string receipt_text(const delivery::Receipt& receipt, std::string_view unmatched_reason) {
  std::string body;
  text::JsonWriter json(body);
  json.begin_object();
  write_receipt(json, receipt);
  if (receipt.deliveries.empty()) {
    json.field("unmatched_reason", unmatched_reason);
  }
  json.end_object();
  body.push_back('\n');
  return body;
}

void send_receipt(Reply& reply, const delivery::Receipt& receipt,
                  std::string_view unmatched_reason) {
  http::Response response{
      .status = 202, .content_type = kJson, .body = receipt_text(receipt, unmatched_reason)};
  if (receipt.is_repeat) {
    response.add("Idempotency-Replayed", "true");
  }
  reply.send(response);
}

// The answer to a repeat is that of the first, so its reason comes from what was stored then.
void send_repeated_reason(Backend& backend, std::shared_ptr<Reply> reply,
                          const delivery::Receipt& receipt) {
  backend.store.load_event(receipt.sequence, [reply = std::move(reply),
                                              receipt](const std::optional<model::Event>& stored) {
    send_receipt(*reply, receipt, stored.has_value() ? stored->unmatched_reason : "");
  });
}

void answer(Backend& backend, const std::shared_ptr<Reply>& reply,
            const delivery::Intake::Accepted& accepted) {
  if (!accepted.has_value()) {
    const Problem problem = publish_problem(backend, accepted.error());
    count_refused(backend.metrics, problem);
    reply->problem(problem);
    return;
  }
  if (accepted->is_other) {
    count_refused(backend.metrics, conflict());
    reply->problem(conflict());
    return;
  }
  count_accepted(backend.metrics, accepted->is_repeat);
  if (accepted->is_repeat && accepted->deliveries.empty()) {
    send_repeated_reason(backend, reply, *accepted);
  } else {
    send_receipt(*reply, *accepted, accepted->content->unmatched_reason);
  }
}

void publish_one(Backend& backend, Call& call, std::string_view idempotency_key) {
  const std::string traceparent = traceparent_of(call.request);
  auto publication = read_event(backend,
                                {.tenant = call.caller.tenant,
                                 .idempotency_key = idempotency_key,
                                 .traceparent = traceparent},
                                call.request.body);
  if (!publication.has_value()) {
    count_refused(backend.metrics, publication.error());
    call.reply.problem(publication.error());
    return;
  }
  backend.intake.publish(std::move(publication->event), publication->matches,
                         [&backend, began = backend.loop.now(),
                          reply = call.keep()](const delivery::Intake::Accepted& accepted) {
                           answer(backend, reply, accepted);
                           count_publish_time(backend.metrics, backend.loop.now() - began);
                         });
}

std::optional<Problem> find_key_problem(std::string_view key, bool is_ndjson) {
  if (key.empty()) {
    return std::nullopt;
  }
  if (is_ndjson) {
    return invalid("Idempotency-Key", "one key cannot name many events",
                   "give each line an \"id\" instead");
  }
  if (key.size() > kIdempotencyKeyMax) {
    return invalid("Idempotency-Key",
                   fmt::format("the key is longer than {} bytes", kIdempotencyKeyMax));
  }
  return std::nullopt;
}

}  // namespace

void publish_events(Backend& backend, Call& call) {
  const std::string_view type = media_type(call.request);
  const bool is_ndjson = http::equals_ignoring_case(type, "application/x-ndjson");
  if (!is_ndjson && !http::equals_ignoring_case(type, kJson)) {
    call.reply.problem(
        {.status = 415,
         .code = "unknown_content_type",
         .message = "Content-Type is neither application/json nor application/x-ndjson",
         .field = "Content-Type",
         .hint = "add the header Content-Type: application/json"});
    return;
  }
  if (call.request.fields.count("Idempotency-Key") > 1) {
    call.reply.problem(invalid("Idempotency-Key", "the header is there more than once"));
    return;
  }
  const std::string_view key = call.request.fields.find("Idempotency-Key").value_or("");
  if (auto problem = find_key_problem(key, is_ndjson)) {
    call.reply.problem(*problem);
    return;
  }
  if (auto problem = find_overload(backend)) {
    count_refused(backend.metrics, *problem);
    call.reply.problem(*problem);
    return;
  }
  if (is_ndjson) {
    publish_ndjson(backend, call);
  } else {
    publish_one(backend, call, key);
  }
}

}  // namespace api
