#include "api/routes.h"

#include "api/deliveries.h"
#include "api/docs.h"
#include "api/endpoints.h"
#include "api/event_story.h"
#include "api/events.h"
#include "api/health.h"
#include "api/keys.h"
#include "api/stats.h"
#include "api/stream.h"
#include "api/subscriptions.h"
#include "api/tenants.h"
#include "api/test_send.h"

namespace api {
namespace {

using http::Method;

constexpr size_t kNoBody = 0;
constexpr size_t kSmallBytesMax = size_t{64} * 1024;
constexpr size_t kSubscriptionBytesMax = size_t{512} * 1024;
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
      {{Method::kPost, "/v1/subscriptions", "manage", "Subscribe to events", kSubscriptionBytesMax},
       create_subscription},
      {{Method::kGet, "/v1/subscriptions", "read", "List subscriptions", kNoBody},
       list_subscriptions},
      {{Method::kGet, "/v1/subscriptions/{id}", "read", "One subscription", kNoBody},
       show_subscription},
      {{Method::kPatch, "/v1/subscriptions/{id}", "manage", "Change parts of a subscription",
        kSubscriptionBytesMax},
       update_subscription},
      {{Method::kDelete, "/v1/subscriptions/{id}", "manage", "End a subscription", kNoBody},
       delete_subscription},
      {{Method::kPost, "/v1/subscriptions/{id}/rotate-secret", "manage",
        "Sign with a new secret, and with the old one for a while", kSmallBytesMax},
       rotate_subscription_secret},
      {{Method::kPost, "/v1/subscriptions/{id}/enable", "manage", "Make its endpoint active again",
        kNoBody},
       enable_subscription},
      {{Method::kPost, "/v1/subscriptions/{id}/pause", "manage",
        "Send nothing to its endpoint for a while", kNoBody},
       pause_subscription},
      {{Method::kPost, "/v1/subscriptions/{id}/resume", "manage", "End a pause of its endpoint",
        kNoBody},
       resume_subscription},
      {{Method::kPost, "/v1/subscriptions/{id}/test", "manage", "Send one test and see what comes",
        kNoBody},
       test_subscription},
      {{Method::kPost, "/v1/keys", "admin", "Make an API key", kSmallBytesMax}, create_key},
      {{Method::kGet, "/v1/keys", "admin", "List API keys", kNoBody}, list_keys},
      {{Method::kDelete, "/v1/keys/{id}", "admin", "Revoke an API key", kNoBody}, revoke_key},
      {{Method::kPost, "/v1/tenants", "admin", "Make a tenant", kSmallBytesMax}, create_tenant},
      {{Method::kGet, "/v1/tenants", "admin", "List tenants", kNoBody}, list_tenants},
      {{Method::kGet, "/v1/tenants/{id}", "admin", "One tenant", kNoBody}, show_tenant},
      {{Method::kDelete, "/v1/tenants/{id}", "admin", "Delete a tenant and all it has", kNoBody},
       delete_tenant},
      {{Method::kGet, "/v1/stats", "read", "Attempts and ends per hour", kNoBody}, show_stats},
      {{Method::kGet, "/v1/stream", "read", "What happens, as it happens", kNoBody}, open_stream},
      {{Method::kGet, "/v1/conservation", "admin", "Account for all deliveries", kNoBody},
       show_conservation},
      {{Method::kGet, "/metrics", "", "Numbers for Prometheus", kNoBody}, show_metrics},
      {{Method::kGet, "/healthz", "", "Whether the process is alive", kNoBody}, show_liveness},
      {{Method::kGet, "/readyz", "", "Whether events are taken", kNoBody}, show_readiness},
      {{Method::kGet, "/openapi.json", "", "This description, for programs", kNoBody},
       show_openapi},
      {{Method::kGet, "/docs", "", "This description, for people", kNoBody}, show_docs},
  };
}

}  // namespace

const Routes& routes() {
  static const Routes kTable(rows());
  return kTable;
}

}  // namespace api
