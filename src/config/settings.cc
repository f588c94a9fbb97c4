#include "config/settings.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "core/retry_schedule.h"
#include "http/percent.h"
#include "net/url.h"
#include "secrets/base64.h"

namespace config {
namespace {

// A value that must not exceed another.
struct Order {
  std::string_view smaller;
  std::string_view larger;
  bool holds;
};

void check_orders(const Settings& settings, std::vector<std::string>& problems) {
  const core::Options& core = settings.core;
  const net::DnsCacheOptions& names = settings.client.resolver.cache;
  const std::array orders = {
      Order{"delivery.endpoint_in_flight_max", "delivery.in_flight_max",
            core.lanes.endpoint_in_flight_max <= core.lanes.in_flight_max},
      Order{"delivery.idle_connections_max", "delivery.connections_max",
            settings.client.pool.idle_max <= settings.client.connections_max},
      Order{"http.connections_per_peer_max", "http.connections_max",
            settings.http.connections_per_peer_max <= settings.http.connections_max},
      Order{"stream.per_tenant_max", "stream.max",
            settings.stream.per_tenant_max <= settings.stream.streams_max},
      Order{"dns.ttl_min", "dns.ttl_max", names.ttl_min <= names.ttl_max},
      Order{"circuit.consecutive_to_freeze", "circuit.consecutive_limit",
            core.circuit.consecutive_to_freeze <= core.circuit.consecutive_limit},
  };
  for (const Order& order : orders) {
    if (!order.holds) {
      problems.push_back(
          fmt::format("{}: must not be more than {}; lower the one or raise the other",
                      order.smaller, order.larger));
    }
  }
}

base::Result<std::string> basic_authorization(std::string_view user_and_password) {
  const std::optional<std::string> plain =
      http::percent_decode(user_and_password, http::Plus::kIsPlus);
  if (!plain.has_value()) {
    return base::fail(base::ErrorCode::kInvalid,
                      "user and password cannot be percent-decoded; write %25 for a percent sign");
  }
  std::string text = "Basic ";
  secrets::append_base64(text,
                         std::span(reinterpret_cast<const uint8_t*>(plain->data()), plain->size()));
  return text;
}

base::Result<net::ProxyOptions> parse_proxy(std::string_view text) {
  constexpr std::string_view kScheme = "http://";
  if (!text.starts_with(kScheme)) {
    return base::fail(base::ErrorCode::kInvalid, "must begin with http://");
  }
  const std::string_view rest = text.substr(kScheme.size());
  const size_t at = rest.substr(0, rest.find('/')).rfind('@');
  net::ProxyOptions proxy;
  if (at != std::string_view::npos) {
    TRY(proxy.authorization, basic_authorization(rest.substr(0, at)));
  }
  TRY(proxy.url, net::parse_url(fmt::format(
                     "{}{}", kScheme, at == std::string_view::npos ? rest : rest.substr(at + 1))));
  return proxy;
}

}  // namespace

uint64_t retention_bytes(const RetentionSettings& retention, uint64_t disk_bytes) {
  return retention.bytes != 0 ? retention.bytes : disk_bytes / 2;
}

std::vector<std::string> complete(Settings& settings) {
  std::vector<std::string> problems;
  if (const auto schedule = core::RetrySchedule::make(settings.core.retry); !schedule) {
    problems.push_back(schedule.error().detail);
  }
  check_orders(settings, problems);
  if (!settings.proxy_url.empty()) {
    base::Result<net::ProxyOptions> proxy = parse_proxy(settings.proxy_url);
    if (proxy.has_value()) {
      settings.client.proxy = std::move(*proxy);
    } else {
      problems.push_back("delivery.proxy: " + proxy.error().detail);
    }
  }
  return problems;
}

}  // namespace config
