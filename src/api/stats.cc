#include "api/stats.h"

#include <fmt/core.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/backend.h"
#include "api/parameters.h"
#include "text/id_text.h"
#include "text/json_writer.h"
#include "text/time_text.h"

namespace api {
namespace {

constexpr std::array<std::string_view, 4> kParameters = {"endpoint", "subscription", "from",
                                                         "until"};
constexpr int64_t kHourMs = 3'600'000;
constexpr int64_t kHours = 24;  // that are shown unless others are asked for
constexpr int64_t kHoursMax = 24 * 31;
// Of a tenant with more, the newest counts of the others are missing until their hour is over.
constexpr uint32_t kEndpointsMax = 1000;

std::string hour_text(int64_t hour) {
  return text::time_text(base::Instant::from_ms(hour * kHourMs));
}

void write_counts(text::JsonWriter& json, const store::Counts& counts) {
  json.field("attempts", counts.attempts)
      .field("failures", counts.failures)
      .field("delivered", counts.delivered)
      .field("dropped", counts.dropped)
      .field("cancelled", counts.cancelled)
      .field("average_ms", counts.attempts == 0 ? 0 : counts.duration_ms / counts.attempts);
}

std::string stats_text(const store::StatsQuery& query, const store::Stats& stats) {
  std::string body;
  text::JsonWriter json(body);
  json.begin_object();
  if (query.endpoint) {
    json.field("endpoint", text::id_text(*query.endpoint));
  }
  if (query.subscription) {
    json.field("subscription", text::id_text(*query.subscription));
  }
  json.field("from", hour_text(query.from_hour)).field("until", hour_text(query.until_hour));
  store::Counts sum;
  json.key("hours").begin_array();
  for (const store::HourlyCounts& hour : stats.hours) {
    sum += hour.counts;
    json.begin_object().field("at", hour_text(hour.hour));
    write_counts(json, hour.counts);
    json.end_object();
  }
  json.end_array().key("total").begin_object();
  write_counts(json, sum);
  json.end_object().field("complete", stats.is_complete).end_object();
  return body;
}

void ask(Backend& backend, const std::shared_ptr<Reply>& reply, const store::StatsQuery& query,
         bool has_all_endpoints) {
  backend.queries.read_stats(query,
                             [reply, query, has_all_endpoints](base::Result<store::Stats> stats) {
                               if (!stats.has_value()) {
                                 reply->problem(problem_of(stats.error()));
                                 return;
                               }
                               stats->is_complete = stats->is_complete && has_all_endpoints;
                               reply->json(200, stats_text(query, *stats));
                             });
}

// Of an endpoint or subscription that the caller does not have, he learns nothing.
void refuse(Reply& reply, const base::Error& error, std::string_view thing) {
  reply.problem(error.code == base::ErrorCode::kNotFound ? no_such(thing) : problem_of(error));
}

void ask_for_endpoint(Backend& backend, std::shared_ptr<Reply> reply, store::StatsQuery query) {
  const base::TenantId tenant = query.tenant;
  const base::EndpointId id = *query.endpoint;
  backend.registry.endpoints().find(tenant, id,
                                    [&backend, reply = std::move(reply), query = std::move(query),
                                     id](const base::Result<registry::EndpointUrl>& found) mutable {
                                      if (!found.has_value()) {
                                        refuse(*reply, found.error(), "endpoint");
                                        return;
                                      }
                                      query.endpoints = {id};
                                      ask(backend, reply, query, true);
                                    });
}

void ask_for_subscription(Backend& backend, std::shared_ptr<Reply> reply, store::StatsQuery query) {
  const base::TenantId tenant = query.tenant;
  const base::SubscriptionId id = *query.subscription;
  backend.registry.subscriptions().find(
      tenant, id,
      [&backend, reply = std::move(reply),
       query = std::move(query)](const base::Result<registry::Subscription>& found) mutable {
        if (!found.has_value()) {
          refuse(*reply, found.error(), "subscription");
          return;
        }
        query.endpoints = {found->endpoint};
        ask(backend, reply, query, true);
      });
}

void ask_for_tenant(Backend& backend, std::shared_ptr<Reply> reply, store::StatsQuery query) {
  const base::TenantId tenant = query.tenant;
  backend.registry.endpoints().list(
      tenant, {}, kEndpointsMax,
      [&backend, reply = std::move(reply),
       query = std::move(query)](const base::Result<registry::EndpointPage>& page) mutable {
        if (!page.has_value()) {
          reply->problem(problem_of(page.error()));
          return;
        }
        for (const registry::EndpointUrl& endpoint : page->endpoints) {
          query.endpoints.push_back(endpoint.id);
        }
        ask(backend, reply, query, page->complete);
      });
}

std::expected<store::StatsQuery, Problem> read_query(const Call& call, base::Instant now) {
  TRY(const Parameters parameters, Parameters::parse(call.request, kParameters));
  store::StatsQuery query{.tenant = call.caller.tenant, .endpoints = {}};
  TRY(query.endpoint, parameters.id("endpoint", &text::parse_endpoint_id, "ep_..."));
  TRY(query.subscription, parameters.id("subscription", &text::parse_subscription_id, "sub_..."));
  if (query.endpoint && query.subscription) {
    return std::unexpected(invalid("subscription", "figures are of one thing at a time",
                                   "ask for the endpoint or for the subscription"));
  }
  TRY(const std::optional<base::Instant> from, parameters.time("from"));
  TRY(const std::optional<base::Instant> until, parameters.time("until"));
  query.until_hour = until ? (until->ms() + kHourMs - 1) / kHourMs : now.hour() + 1;
  query.from_hour = from ? from->hour() : query.until_hour - kHours;
  if (query.from_hour >= query.until_hour) {
    return std::unexpected(invalid("until", "it is not later than \"from\""));
  }
  if (query.until_hour - query.from_hour > kHoursMax) {
    return std::unexpected(invalid("from",
                                   fmt::format("more than {} days are asked for", kHoursMax / 24),
                                   "ask for a shorter time"));
  }
  query.from_hour = std::max<int64_t>(query.from_hour, 0);
  return query;
}

}  // namespace

void show_stats(Backend& backend, Call& call) {
  auto query = read_query(call, backend.loop.now());
  if (!query.has_value()) {
    call.reply.problem(query.error());
  } else if (query->endpoint) {
    ask_for_endpoint(backend, call.keep(), *std::move(query));
  } else if (query->subscription) {
    ask_for_subscription(backend, call.keep(), *std::move(query));
  } else {
    ask_for_tenant(backend, call.keep(), *std::move(query));
  }
}

}  // namespace api
