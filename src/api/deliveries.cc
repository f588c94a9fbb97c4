#include "api/deliveries.h"

#include <fmt/core.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/backend.h"
#include "api/delivery_json.h"
#include "api/delivery_query.h"
#include "match/subscription.h"
#include "text/id_text.h"
#include "text/json_writer.h"
#include "text/time_text.h"

namespace api {
namespace {

using Found = base::Result<std::optional<store::EventStory>>;
// The one delivery that was asked for is the first of the story.
using UseStory = std::function<void(const std::shared_ptr<Reply>&, const store::EventStory&)>;

// --- The list ---

std::string page_text(const Backend& backend, const DeliveryListing& listing,
                      const store::DeliveryPage& page) {
  std::string body;
  text::JsonWriter json(body);
  json.begin_object().key("items").begin_array();
  for (const store::ListedDelivery& listed : page.deliveries) {
    const std::string_view state = state_word(backend, listed.delivery, listed.end);
    if (listing.only_state.empty() || listing.only_state == state) {
      write_listed(json, backend, listed);
    }
  }
  json.end_array().key("cursor");
  if (page.next) {
    json.value(text::id_text(*page.next));
  } else {
    json.null();
  }
  json.key("searched_to");
  if (page.searched_to.is_set()) {
    json.value(text::time_text(page.searched_to));
  } else {
    json.null();
  }
  json.end_object();
  return body;
}

// --- One delivery ---

// Finds it and hands it on; if there is none for this caller, he is told so.
void with_delivery(Backend& backend, Call& call, UseStory use) {
  const std::optional<base::DeliveryId> id = text::parse_delivery_id(call.path["id"]);
  if (!id) {
    call.reply.problem(no_such("delivery"));
    return;
  }
  backend.queries.find_delivery(call.caller.tenant, *id,
                                [reply = call.keep(), use = std::move(use)](const Found& found) {
                                  if (!found.has_value()) {
                                    reply->problem(problem_of(found.error()));
                                  } else if (!*found) {
                                    reply->problem(no_such("delivery"));
                                  } else {
                                    use(reply, **found);
                                  }
                                });
}

std::string delivery_text(const Backend& backend, const store::EventStory& story) {
  std::string body;
  text::JsonWriter json(body);
  write_delivery(json, backend, story, story.deliveries.front());
  return body;
}

Problem conflict(std::string message, std::string hint) {
  return {
      .status = 409, .code = "conflict", .message = std::move(message), .hint = std::move(hint)};
}

// --- Cancelling ---

Problem has_ended(std::string_view how) {
  return conflict(fmt::format("the delivery has ended already: it was {}", how),
                  "only what is unfinished can be cancelled");
}

// As it stands after the command.
void send_delivery(Backend& backend, const std::shared_ptr<Reply>& reply, base::TenantId tenant,
                   base::DeliveryId id) {
  backend.queries.find_delivery(tenant, id, [&backend, reply](const Found& found) {
    if (!found.has_value()) {
      reply->problem(problem_of(found.error()));
    } else if (!*found) {
      reply->problem(no_such("delivery"));
    } else {
      reply->json(200, delivery_text(backend, **found));
    }
  });
}

void cancelled(Backend& backend, const std::shared_ptr<Reply>& reply,
               const model::Delivery& delivery, core::CommandResult result) {
  switch (result) {
    case core::CommandResult::kDone:
    case core::CommandResult::kUnchanged:
      send_delivery(backend, reply, delivery.tenant, delivery.id);
      return;
    case core::CommandResult::kTooLate:
      reply->problem(conflict(
          "the delivery has ended, or somebody else is cancelling it",
          fmt::format("GET /v1/deliveries/{} tells how it ended", text::id_text(delivery.id))));
      return;
    case core::CommandResult::kNotOwner:
    case core::CommandResult::kBusy:
      break;
  }
  reply->problem(unavailable("too many commands wait for the store"));
}

// --- Redelivery ---

// The same content under the same webhook-id.
delivery::NewEvent redelivered(const store::EventStory& story, base::DeliveryId of) {
  auto content = std::make_shared<model::Event>(story.content);
  content->id = event_name(story.content.id, story.sequence);
  content->redelivery_of = of;
  return {.id = story.head.event,
          .tenant = story.head.tenant,
          .object = {},
          .operational = story.deliveries.front().delivery.operational,
          .content = std::move(content)};
}

void send_redelivery(Reply& reply, const delivery::Intake::Accepted& accepted) {
  if (!accepted.has_value()) {
    reply.problem(problem_of(accepted.error()));
    return;
  }
  const model::Delivery& delivery = accepted->deliveries.front();
  std::string body;
  text::JsonWriter(body)
      .begin_object()
      .field("id", text::id_text(delivery.id))
      .field("redelivery_of", text::id_text(accepted->content->redelivery_of))
      .field("event", accepted->content->id)
      .field("subscription", text::id_text(delivery.subscription))
      .field("endpoint", text::id_text(delivery.endpoint))
      .end_object();
  reply.json(202, std::move(body));
}

void redeliver_to(Backend& backend, const std::shared_ptr<Reply>& reply,
                  const delivery::NewEvent& event, const registry::Subscription& subscription) {
  const std::array only{match::Match{.id = subscription.id,
                                     .endpoint = subscription.endpoint,
                                     .ordered = false,
                                     .has_own_queue = subscription.settings.has_own_queue()}};
  backend.intake.redeliver(
      backend.next_event_id(), event, backend.registry.subscriptions().matched(only).front(),
      [reply](const delivery::Intake::Accepted& accepted) { send_redelivery(*reply, accepted); });
}

void redeliver_story(Backend& backend, const std::shared_ptr<Reply>& reply,
                     const store::EventStory& story) {
  const store::DeliveryStory& old = story.deliveries.front();
  if (!old.end) {
    reply->problem(conflict("the delivery is not finished; it is still being tried",
                            "wait until it has ended, or cancel it first"));
    return;
  }
  const delivery::NewEvent event = redelivered(story, old.delivery.id);
  backend.registry.subscriptions().find(
      story.head.tenant, old.delivery.subscription,
      [&backend, reply, event](const base::Result<registry::Subscription>& subscription) {
        if (subscription.has_value()) {
          redeliver_to(backend, reply, event, *subscription);
        } else if (subscription.error().code == base::ErrorCode::kNotFound) {
          reply->problem(conflict("the subscription of this delivery was deleted",
                                  "create it again and publish the event again"));
        } else {
          reply->problem(problem_of(subscription.error()));
        }
      });
}

}  // namespace

void list_deliveries(Backend& backend, Call& call) {
  const auto listing = read_delivery_listing(call.request, call.caller.tenant);
  if (!listing.has_value()) {
    call.reply.problem(listing.error());
    return;
  }
  backend.queries.list_deliveries(
      listing->query, [&backend, reply = call.keep(),
                       listing = *listing](const base::Result<store::DeliveryPage>& page) {
        if (page.has_value()) {
          reply->json(200, page_text(backend, listing, *page));
        } else {
          reply->problem(problem_of(page.error()));
        }
      });
}

void show_delivery(Backend& backend, Call& call) {
  with_delivery(backend, call,
                [&backend](const std::shared_ptr<Reply>& reply, const store::EventStory& story) {
                  reply->json(200, delivery_text(backend, story));
                });
}

void cancel_delivery(Backend& backend, Call& call) {
  with_delivery(backend, call,
                [&backend](const std::shared_ptr<Reply>& reply, const store::EventStory& story) {
                  const store::DeliveryStory& told = story.deliveries.front();
                  if (told.end) {
                    reply->problem(has_ended(state_word(backend, told.delivery, told.end)));
                    return;
                  }
                  backend.dispatcher.cancel_delivery(
                      told.delivery.id, told.delivery.endpoint,
                      [&backend, reply, delivery = told.delivery](core::CommandResult result) {
                        cancelled(backend, reply, delivery, result);
                      });
                });
}

void redeliver(Backend& backend, Call& call) {
  with_delivery(backend, call,
                [&backend](const std::shared_ptr<Reply>& reply, const store::EventStory& story) {
                  redeliver_story(backend, reply, story);
                });
}

}  // namespace api
