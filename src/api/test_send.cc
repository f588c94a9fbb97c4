#include "api/test_send.h"

#include <fmt/core.h>

#include <memory>
#include <utility>

#include "api/backend.h"
#include "api/delivery_json.h"
#include "text/id_text.h"
#include "text/json_writer.h"

namespace api {
namespace {

using registry::Subscription;

constexpr std::string_view kTestType = "postrider.test";

std::string test_payload(base::SubscriptionId subscription) {
  std::string body;
  text::JsonWriter(body)
      .begin_object()
      .field("type", kTestType)
      .field("subscription", text::id_text(subscription))
      .field("message", "This is a test. It was sent once, on request, and is stored nowhere")
      .end_object();
  return body;
}

Problem closed(std::string_view state) {
  return {.status = 409,
          .code = "conflict",
          .message = fmt::format("the endpoint of this subscription is {}", state),
          .hint = state == "frozen" ? "enable it first" : "resume it first"};
}

std::string outcome_text(const Subscription& subscription, const model::Attempt& attempt) {
  std::string body;
  text::JsonWriter json(body);
  json.begin_object().field("subscription", text::id_text(subscription.id)).key("attempt");
  write_attempt(json, attempt, std::nullopt);
  json.end_object();
  return body;
}

void send_test(Backend& backend, const std::shared_ptr<Reply>& reply,
               const Subscription& subscription) {
  const model::EndpointRecord* record = backend.dispatcher.core().endpoint(subscription.endpoint);
  const model::CircuitState state =
      record == nullptr ? model::CircuitState::kActive : record->state;
  if (state == model::CircuitState::kFrozen || (record != nullptr && record->paused)) {
    reply->problem(closed(state == model::CircuitState::kFrozen ? "frozen" : "paused"));
    return;
  }
  if (backend.tester == nullptr || backend.tester->is_busy()) {
    reply->problem(unavailable("too many tests are under way"));
    return;
  }
  const base::Duration deadline =
      subscription.settings.deadline.value_or(backend.core_options.attempt_deadline);
  backend.tester->send(subscription, deadline,
                       [&backend, reply, subscription, state,
                        started_at = backend.loop.now()](const model::Outcome& outcome) {
                         reply->json(200,
                                     outcome_text(subscription, {.started_at = started_at,
                                                                 .finished_at = backend.loop.now(),
                                                                 .outcome = outcome,
                                                                 .circuit_before = state,
                                                                 .circuit_after = state}));
                       });
}

}  // namespace

TestSender::TestSender(net::Loop& loop, net::HttpClient& client, registry::Registry& registry,
                       std::string user_agent)
    : registry_(registry),
      transport_(
          loop, client,
          [this](const delivery::AttemptRequest& request, const delivery::PrepareDone& done) {
            prepare(request, done);
          },
          std::move(user_agent)) {}

void TestSender::send(const Subscription& subscription, base::Duration deadline,
                      std::function<void(model::Outcome)> done) {
  ++under_way_;
  ++last_;
  const delivery::AttemptRequest request{.id = delivery::AttemptId{last_},
                                         .delivery = {.endpoint = subscription.endpoint,
                                                      .tenant = subscription.tenant,
                                                      .subscription = subscription.id},
                                         .deadline = deadline};
  transport_.send(request, [this, done = std::move(done)](model::Outcome outcome) {
    --under_way_;
    done(std::move(outcome));
  });
}

void TestSender::prepare(const delivery::AttemptRequest& request,
                         const delivery::PrepareDone& done) {
  registry_.target_of(
      request.delivery,
      [request, done](const base::Result<std::shared_ptr<const registry::Target>>& target) {
        if (!target.has_value()) {
          done(std::unexpected(target.error()));
          return;
        }
        delivery::PreparedRequest prepared;
        (*target)->put_into(prepared);
        prepared.body =
            std::make_shared<const std::string>(test_payload(request.delivery.subscription));
        prepared.webhook_id = fmt::format("test_{:016x}_{}", request.delivery.subscription.value,
                                          static_cast<uint64_t>(request.id));
        prepared.headers.add("postrider-event-type", kTestType);
        done(std::move(prepared));
      });
}

void test_subscription(Backend& backend, Call& call) {
  const auto id = text::parse_subscription_id(call.path["id"]);
  if (!id) {
    call.reply.problem(no_such("subscription"));
    return;
  }
  backend.registry.subscriptions().find(
      call.caller.tenant, *id,
      [&backend, reply = call.keep()](const base::Result<Subscription>& found) {
        if (found.has_value()) {
          send_test(backend, reply, *found);
        } else if (found.error().code == base::ErrorCode::kNotFound) {
          reply->problem(no_such("subscription"));
        } else {
          reply->problem(problem_of(found.error()));
        }
      });
}

}  // namespace api
