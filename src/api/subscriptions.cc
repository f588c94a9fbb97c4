#include "api/subscriptions.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/backend.h"
#include "api/endpoints.h"
#include "api/input_problem.h"
#include "api/parameters.h"
#include "registry/subscription.h"
#include "text/id_text.h"
#include "text/json_writer.h"

namespace api {
namespace {

using registry::ChangedSubscription;
using registry::Subscription;

constexpr uint32_t kLimit = 20;
constexpr uint32_t kLimitMax = 100;

Problem subscription_problem(const base::Error& error) {
  return error.code == base::ErrorCode::kNotFound ? no_such("subscription") : input_problem(error);
}

// What a change has made of it; `left_behind` is how many deliveries wait at its URL of before.
std::string changed_text(const ChangedSubscription& changed, std::optional<uint64_t> left_behind) {
  std::string body;
  text::JsonWriter json(body);
  json.begin_object();
  registry::write_subscription(json, changed.subscription, changed.signing_secret.text());
  json.key("warnings").begin_array();
  for (const std::string& warning : changed.warnings) {
    json.value(warning);
  }
  json.end_array();
  if (left_behind) {
    json.key("previous_endpoint").begin_object();
    json.field("id", text::id_text(changed.previous_endpoint));
    json.field("unfinished", *left_behind).end_object();
  }
  json.end_object();
  return body;
}

void send_changed(Backend& backend, Reply& reply, uint16_t status,
                  const base::Result<ChangedSubscription>& changed) {
  if (!changed.has_value()) {
    reply.problem(subscription_problem(changed.error()));
    return;
  }
  std::optional<uint64_t> left_behind;
  if (changed->previous_endpoint.is_set()) {
    const auto* before = backend.dispatcher.core().endpoint(changed->previous_endpoint);
    left_behind = before == nullptr ? 0 : before->unfinished;
  }
  reply.json(status, changed_text(*changed, left_behind));
}

// The id in the path; if it is none, the caller is told that there is no such subscription.
std::optional<base::SubscriptionId> id_of(Call& call) {
  const auto id = text::parse_subscription_id(call.path["id"]);
  if (!id) {
    call.reply.problem(no_such("subscription"));
  }
  return id;
}

struct PagePart {
  base::SubscriptionId after;
  uint32_t limit = kLimit;
};

std::expected<PagePart, Problem> read_page_part(const http::Request& request) {
  constexpr std::array<std::string_view, 2> kParameters = {"limit", "cursor"};
  TRY(const Parameters parameters, Parameters::parse(request, kParameters));
  PagePart part;
  TRY(part.limit, parameters.limit(kLimit, kLimitMax));
  TRY(const std::optional<base::SubscriptionId> after,
      parameters.id("cursor", &text::parse_subscription_id, "sub_..."));
  part.after = after.value_or(base::SubscriptionId());
  return part;
}

std::string page_text(const registry::SubscriptionPage& page) {
  std::string body;
  text::JsonWriter json(body);
  json.begin_object().key("items").begin_array();
  for (const Subscription& subscription : page.subscriptions) {
    json.begin_object();
    registry::write_subscription(json, subscription);
    json.end_object();
  }
  json.end_array().key("cursor");
  if (page.complete || page.subscriptions.empty()) {
    json.null();
  } else {
    json.value(text::id_text(page.subscriptions.back().id));
  }
  json.end_object();
  return body;
}

void command(Backend& backend, Call& call, core::EndpointAction action) {
  const auto id = id_of(call);
  if (!id) {
    return;
  }
  backend.registry.subscriptions().find(
      call.caller.tenant, *id,
      [&backend, reply = call.keep(), action](const base::Result<Subscription>& found) {
        if (!found.has_value()) {
          reply->problem(subscription_problem(found.error()));
          return;
        }
        command_endpoint(backend, reply, {.tenant = found->tenant, .action = action},
                         {.id = found->endpoint, .url = found->url});
      });
}

}  // namespace

void create_subscription(Backend& backend, Call& call) {
  const auto body = json_object_of(backend, call.request);
  if (!body.has_value()) {
    call.reply.problem(body.error());
    return;
  }
  backend.registry.subscriptions().create(
      call.caller.tenant, *body,
      [&backend, reply = call.keep()](const base::Result<ChangedSubscription>& result) {
        send_changed(backend, *reply, 201, result);
      });
}

void list_subscriptions(Backend& backend, Call& call) {
  const auto part = read_page_part(call.request);
  if (!part.has_value()) {
    call.reply.problem(part.error());
    return;
  }
  backend.registry.subscriptions().list(
      call.caller.tenant, part->after, part->limit,
      [reply = call.keep()](const base::Result<registry::SubscriptionPage>& page) {
        if (page.has_value()) {
          reply->json(200, page_text(*page));
        } else {
          reply->problem(problem_of(page.error()));
        }
      });
}

void show_subscription(Backend& backend, Call& call) {
  const auto id = id_of(call);
  if (!id) {
    return;
  }
  backend.registry.subscriptions().find(call.caller.tenant, *id,
                                        [reply = call.keep()](base::Result<Subscription> found) {
                                          if (!found.has_value()) {
                                            reply->problem(subscription_problem(found.error()));
                                            return;
                                          }
                                          std::string body;
                                          text::JsonWriter json(body);
                                          json.begin_object();
                                          registry::write_subscription(json, *found);
                                          json.end_object();
                                          reply->json(200, std::move(body));
                                        });
}

void update_subscription(Backend& backend, Call& call) {
  const auto id = id_of(call);
  if (!id) {
    return;
  }
  const auto body = json_object_of(backend, call.request);
  if (!body.has_value()) {
    call.reply.problem(body.error());
    return;
  }
  backend.registry.subscriptions().update(
      call.caller.tenant, *id, *body,
      [&backend, reply = call.keep()](const base::Result<ChangedSubscription>& result) {
        send_changed(backend, *reply, 200, result);
      });
}

void delete_subscription(Backend& backend, Call& call) {
  const auto id = id_of(call);
  if (!id) {
    return;
  }
  backend.registry.subscriptions().remove(call.caller.tenant, *id,
                                          [reply = call.keep()](const base::Result<void>& result) {
                                            if (result.has_value()) {
                                              reply->nothing();
                                            } else {
                                              reply->problem(subscription_problem(result.error()));
                                            }
                                          });
}

void rotate_subscription_secret(Backend& backend, Call& call) {
  const auto id = id_of(call);
  if (!id) {
    return;
  }
  match::JsonValue wishes;
  if (!call.request.body.empty()) {
    const auto body = json_object_of(backend, call.request);
    if (!body.has_value()) {
      call.reply.problem(body.error());
      return;
    }
    wishes = *body;
  }
  backend.registry.subscriptions().rotate(
      call.caller.tenant, *id, wishes,
      [&backend, reply = call.keep()](const base::Result<ChangedSubscription>& result) {
        send_changed(backend, *reply, 200, result);
      });
}

void enable_subscription(Backend& backend, Call& call) {
  command(backend, call, core::EndpointAction::kEnable);
}

void pause_subscription(Backend& backend, Call& call) {
  command(backend, call, core::EndpointAction::kPause);
}

void resume_subscription(Backend& backend, Call& call) {
  command(backend, call, core::EndpointAction::kResume);
}

}  // namespace api
