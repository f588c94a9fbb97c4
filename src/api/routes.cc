#include "api/routes.h"

#include "api/events.h"
#include "api/health.h"

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
      {{Method::kGet, "/v1/conservation", "admin", "Account for all deliveries", kNoBody},
       show_conservation},
      {{Method::kGet, "/metrics", "", "Numbers for Prometheus", kNoBody}, show_metrics},
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
