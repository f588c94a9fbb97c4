#include "api/endpoints.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/backend.h"
#include "api/endpoint_json.h"
#include "api/parameters.h"
#include "text/id_text.h"
#include "text/json_writer.h"

namespace api {
namespace {

using Facts = std::vector<std::optional<store::EndpointFacts>>;

constexpr std::array<std::string_view, 2> kPageParameters = {"limit", "cursor"};
constexpr uint32_t kLimit = 20;
constexpr uint32_t kLimitMax = 100;

// --- The list ---

void send_page(const Backend& backend, Reply& reply, const registry::EndpointPage& page,
               const Facts& facts) {
  std::string body;
  text::JsonWriter json(body);
  json.begin_object().key("items").begin_array();
  for (size_t index = 0; index < page.endpoints.size(); ++index) {
    json.begin_object();
    write_summary(json, make_view(backend, page.endpoints[index], facts[index]),
                  backend.core_options.circuit);
    json.end_object();
  }
  json.end_array().key("cursor");
  if (page.complete || page.endpoints.empty()) {
    json.null();
  } else {
    json.value(text::id_text(page.endpoints.back().id));
  }
  json.end_object();
  reply.json(200, std::move(body));
}

void page_found(Backend& backend, const std::shared_ptr<Reply>& reply,
                const registry::EndpointPage& page) {
  std::vector<base::EndpointId> ids;
  ids.reserve(page.endpoints.size());
  for (const registry::EndpointUrl& endpoint : page.endpoints) {
    ids.push_back(endpoint.id);
  }
  backend.queries.read_endpoints(std::move(ids),
                                 [&backend, reply, page](const base::Result<Facts>& facts) {
                                   if (facts.has_value()) {
                                     send_page(backend, *reply, page, *facts);
                                   } else {
                                     reply->problem(problem_of(facts.error()));
                                   }
                                 });
}

// --- One endpoint ---

// Which part of its history is wanted.
struct HistoryPart {
  std::string before;
  uint32_t limit = kLimit;
};

void send_endpoint(const Backend& backend, Reply& reply, const EndpointView& view,
                   const store::HistoryPage& history) {
  const core::CircuitOptions& options = backend.core_options.circuit;
  std::string body;
  text::JsonWriter json(body);
  json.begin_object();
  write_summary(json, view, options);
  write_counters(json, view.record, options, backend.loop.now());
  write_history(json, history, options);
  json.end_object();
  reply.json(200, std::move(body));
}

// Asks all who know something of it, one after the other.
void tell_endpoint(Backend& backend, const std::shared_ptr<Reply>& reply,
                   const registry::EndpointUrl& endpoint, const HistoryPart& part) {
  backend.queries.read_endpoints(
      {endpoint.id}, [&backend, reply, endpoint, part](const base::Result<Facts>& facts) {
        if (!facts.has_value()) {
          reply->problem(problem_of(facts.error()));
          return;
        }
        const store::HistoryQuery query{
            .endpoint = endpoint.id, .before = part.before, .limit = part.limit};
        backend.queries.read_history(
            query, [&backend, reply, view = make_view(backend, endpoint, facts->front())](
                       const base::Result<store::HistoryPage>& history) {
              if (history.has_value()) {
                send_endpoint(backend, *reply, view, *history);
              } else {
                reply->problem(problem_of(history.error()));
              }
            });
      });
}

using UseEndpoint =
    std::function<void(const std::shared_ptr<Reply>&, const registry::EndpointUrl&)>;

// Finds it and hands it on; if there is none for this caller, he is told so.
void with_endpoint(Backend& backend, Call& call, UseEndpoint use) {
  const std::optional<base::EndpointId> id = text::parse_endpoint_id(call.path["id"]);
  if (!id) {
    call.reply.problem(no_such("endpoint"));
    return;
  }
  backend.registry.endpoints().find(call.caller.tenant, *id,
                                    [reply = call.keep(), use = std::move(use)](
                                        const base::Result<registry::EndpointUrl>& found) {
                                      if (found.has_value()) {
                                        use(reply, *found);
                                      } else if (found.error().code == base::ErrorCode::kNotFound) {
                                        reply->problem(no_such("endpoint"));
                                      } else {
                                        reply->problem(problem_of(found.error()));
                                      }
                                    });
}

// --- Commands ---

void command(Backend& backend, Call& call, core::EndpointAction action) {
  with_endpoint(backend, call,
                [&backend, tenant = call.caller.tenant, action](
                    const std::shared_ptr<Reply>& reply, const registry::EndpointUrl& endpoint) {
                  command_endpoint(backend, reply, {.tenant = tenant, .action = action}, endpoint);
                });
}

std::expected<HistoryPart, Problem> read_history_part(const http::Request& request) {
  constexpr std::array<std::string_view, 2> kParameters = {"limit", "history_cursor"};
  TRY(const Parameters parameters, Parameters::parse(request, kParameters));
  HistoryPart part;
  TRY(part.limit, parameters.limit(kLimit, kLimitMax));
  if (const auto cursor = parameters.find("history_cursor")) {
    const std::optional<std::string> before = parse_history_cursor(*cursor);
    if (!before) {
      return std::unexpected(invalid("history_cursor", "it is not a cursor of this path",
                                     "use the history_cursor of an answer as it is"));
    }
    part.before = *before;
  }
  return part;
}

struct PagePart {
  base::EndpointId after;
  uint32_t limit = kLimit;
};

std::expected<PagePart, Problem> read_page_part(const http::Request& request) {
  TRY(const Parameters parameters, Parameters::parse(request, kPageParameters));
  PagePart part;
  TRY(part.limit, parameters.limit(kLimit, kLimitMax));
  TRY(const std::optional<base::EndpointId> after,
      parameters.id("cursor", &text::parse_endpoint_id, "ep_..."));
  part.after = after.value_or(base::EndpointId());
  return part;
}

}  // namespace

void command_endpoint(Backend& backend, const std::shared_ptr<Reply>& reply,
                      const EndpointWish& wish, const registry::EndpointUrl& endpoint) {
  backend.dispatcher.endpoint_command(
      endpoint.id, wish.tenant, wish.action,
      [&backend, reply, endpoint](core::CommandResult result) {
        const bool is_done =
            result == core::CommandResult::kDone || result == core::CommandResult::kUnchanged;
        if (is_done) {
          tell_endpoint(backend, reply, endpoint, {});
        } else {
          reply->problem(unavailable("the server cannot do this now"));
        }
      });
}

void list_endpoints(Backend& backend, Call& call) {
  const auto part = read_page_part(call.request);
  if (!part.has_value()) {
    call.reply.problem(part.error());
    return;
  }
  backend.registry.endpoints().list(
      call.caller.tenant, part->after, part->limit,
      [&backend, reply = call.keep()](const base::Result<registry::EndpointPage>& page) {
        if (page.has_value()) {
          page_found(backend, reply, *page);
        } else {
          reply->problem(problem_of(page.error()));
        }
      });
}

void show_endpoint(Backend& backend, Call& call) {
  const auto part = read_history_part(call.request);
  if (!part.has_value()) {
    call.reply.problem(part.error());
    return;
  }
  with_endpoint(backend, call,
                [&backend, part = *part](const std::shared_ptr<Reply>& reply,
                                         const registry::EndpointUrl& endpoint) {
                  tell_endpoint(backend, reply, endpoint, part);
                });
}

void enable_endpoint(Backend& backend, Call& call) {
  command(backend, call, core::EndpointAction::kEnable);
}

void pause_endpoint(Backend& backend, Call& call) {
  command(backend, call, core::EndpointAction::kPause);
}

void resume_endpoint(Backend& backend, Call& call) {
  command(backend, call, core::EndpointAction::kResume);
}

}  // namespace api
