#include "api/health.h"

#include <string>

#include "api/account.h"
#include "api/backend.h"
#include "api/ndjson.h"

namespace api {

void show_liveness(Backend& /*backend*/, Call& call) { call.reply.json(200, R"({"status":"ok"})"); }

void show_readiness(Backend& backend, Call& call) {
  if (auto problem = find_overload(backend)) {
    problem->status = 503;
    call.reply.problem(*problem);
    return;
  }
  call.reply.json(200, R"({"status":"ready"})");
}

void show_metrics(Backend& backend, Call& call) {
  http::Response response{.status = 200, .content_type = observe::Metrics::kContentType};
  backend.metrics.write_prometheus(response.body);
  call.reply.send(response);
}

void show_conservation(Backend& backend, Call& call) {
  const Account account = take_account(backend);
  const store::Totals& totals = account.totals;
  std::string body;
  text::JsonWriter(body)
      .begin_object()
      .field("created", totals.created)
      .field("delivered", totals.delivered)
      .field("dropped", totals.dropped)
      .field("cancelled", totals.cancelled)
      .field("expired", totals.expired)
      .field("unfinished", totals.unfinished())
      .field("waiting", account.unfinished.waiting)
      .field("held", account.unfinished.held)
      .field("in_flight", account.unfinished.in_flight)
      .field("conserved", account.is_conserved())
      .field("events", totals.events)
      .end_object();
  call.reply.json(200, std::move(body));
}

}  // namespace api
