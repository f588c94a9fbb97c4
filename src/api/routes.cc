#include "api/routes.h"

#include "api/deliveries.h"
#include "api/endpoints.h"
#include "api/event_story.h"
#include "api/events.h"
#include "api/health.h"
#include "api/stats.h"

namespace api {
namespace {

using http::Method;

constexpr size_t kNoBody = 0;
constexpr size_t kEventsBytesMax = size_t{16} * 1024 * 1024;

// Scopes: publish, read, manage, admin; none means that no key is needed.
std::vector<Routes::Row> rows() {
  return {
      {{Method::kPost, "/v1/events", "publish", "Publish one event, or many", kEventsBytesMax},
       publish_events},
      {{Method::kGet, "/v1/events/{id}", "read", "The whole story of an event", kNoBody},
       show_event},
      {{Method::kGet, "/v1/deliveries", "read", "List deliveries, the newest first", kNoBody},
       list_deliveries},
      {{Method::kGet, "/v1/deliveries/{id}", "read", "One delivery with its attempts", kNoBody},
       show_delivery},
      {{Method::kPost, "/v1/deliveries/{id}/redeliver", "manage", "Send it once more", kNoBody},
       redeliver},
      {{Method::kPost, "/v1/deliveries/{id}/cancel", "manage", "Try it no more", kNoBody},
       cancel_delivery},
      {{Method::kGet, "/v1/endpoints", "read", "List endpoints and how they are doing", kNoBody},
       list_endpoints},
      {{Method::kGet, "/v1/endpoints/{id}", "read", "One endpoint with its history", kNoBody},
       show_endpoint},
      {{Method::kPost, "/v1/endpoints/{id}/enable", "manage", "Make it active again", kNoBody},
       enable_endpoint},
      {{Method::kPost, "/v1/endpoints/{id}/pause", "manage", "Send nothing for a while", kNoBody},
       pause_endpoint},
      {{Method::kPost, "/v1/endpoints/{id}/resume", "manage", "End a pause", kNoBody},
       resume_endpoint},
      {{Method::kGet, "/v1/stats", "read", "Attempts and ends per hour", kNoBody}, show_stats},
      {{Method::kGet, "/v1/conservation", "admin", "Account for all deliveries", kNoBody},
       show_conservation},
      {{Method::kGet, "/healthz", "", "Whether the process is alive", kNoBody}, show_liveness},
      {{Method::kGet, "/readyz", "", "Whether events are taken", kNoBody}, show_readiness},
  };
}

}  // namespace

const Routes& routes() {
  static const Routes table(rows());
  return table;
}

}  // namespace api
