#include "api/stream.h"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "api/backend.h"
#include "api/tail.h"

namespace api {
namespace {

// One request, until the stream begins: what it names must be there.
struct Opening {
  Backend& backend;
  registry::Caller caller;
  TailFilter filter;
  bool is_again;
  Reply reply;
};
using OpeningPtr = std::shared_ptr<Opening>;

std::optional<Problem> find_problem(const Opening& opening) {
  if (opening.backend.is_draining) {
    return unavailable("the server is about to stop");
  }
  return opening.backend.tail.find_problem(opening.caller.tenant);
}

Problem not_found(std::string_view thing, const base::Error& error) {
  return error.code == base::ErrorCode::kNotFound ? no_such(thing) : problem_of(error);
}

void begin(const OpeningPtr& opening) {
  if (const auto problem = find_problem(*opening)) {
    opening->reply.problem(*problem);
    return;
  }
  opening->backend.tail.open(opening->caller, opening->filter, opening->reply, opening->is_again);
}

void find_subscription(const OpeningPtr& opening) {
  if (!opening->filter.subscription) {
    begin(opening);
    return;
  }
  opening->backend.registry.subscriptions().find(
      opening->caller.tenant, *opening->filter.subscription,
      [opening](const base::Result<registry::Subscription>& found) {
        if (!found.has_value()) {
          opening->reply.problem(not_found("subscription", found.error()));
          return;
        }
        opening->filter.subscription_endpoint = found->endpoint;
        begin(opening);
      });
}

void find_endpoint(const OpeningPtr& opening) {
  if (!opening->filter.endpoint) {
    find_subscription(opening);
    return;
  }
  opening->backend.registry.endpoints().find(
      opening->caller.tenant, *opening->filter.endpoint,
      [opening](const base::Result<registry::EndpointUrl>& found) {
        if (!found.has_value()) {
          opening->reply.problem(not_found("endpoint", found.error()));
          return;
        }
        find_subscription(opening);
      });
}

}  // namespace

void open_stream(Backend& backend, Call& call) {
  const auto filter = read_tail_filter(call.request);
  if (!filter.has_value()) {
    call.reply.problem(filter.error());
    return;
  }
  const bool is_again = call.request.fields.find("Last-Event-ID").has_value();
  find_endpoint(std::make_shared<Opening>(Opening{.backend = backend,
                                                  .caller = call.caller,
                                                  .filter = *filter,
                                                  .is_again = is_again,
                                                  .reply = std::move(call.reply)}));
}

}  // namespace api
