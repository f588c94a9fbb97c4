#include "config/settings.h"

#include <gtest/gtest.h>

namespace config {
namespace {

using base::Duration;

TEST(Settings, DefaultsAreThePublishedRules) {
  Settings settings;
  EXPECT_TRUE(complete(settings).empty());
  EXPECT_EQ(settings.core.retry.unit, Duration::ms(84'800));
  EXPECT_EQ(settings.core.circuit.probe_interval, Duration::minutes(10));
  EXPECT_EQ(settings.retention.age, Duration::hours(30 * 24));
  EXPECT_EQ(settings.intake.deliveries_per_event_max, 10'000U);
}

TEST(Settings, ValuesThatContradictEachOtherAreNamedAllAtOnce) {
  Settings settings;
  settings.core.retry.delays = {Duration::seconds(2), Duration::seconds(1)};
  settings.core.lanes.in_flight_max = 8;
  settings.client.resolver.cache.ttl_min = Duration::hours(1);
  settings.proxy_url = "socks5://proxy.example";
  const std::vector<std::string> problems = complete(settings);
  ASSERT_EQ(problems.size(), 4U);
  EXPECT_TRUE(problems[0].starts_with("retry.delays: "));
  EXPECT_TRUE(
      problems[1].starts_with("delivery.endpoint_in_flight_max: must not be more than "
                              "delivery.in_flight_max"));
  EXPECT_TRUE(problems[2].starts_with("dns.ttl_min: "));
  EXPECT_EQ(problems[3], "delivery.proxy: must begin with http://");
}

TEST(Settings, AProxyMayNeedAPassword) {
  Settings settings;
  settings.proxy_url = "http://x:y@proxy.example:3128";
  ASSERT_TRUE(complete(settings).empty());
  ASSERT_TRUE(settings.client.proxy.has_value());
  EXPECT_EQ(settings.client.proxy->authorization, "Basic eDp5");
  EXPECT_EQ(settings.client.proxy->url.host, "proxy.example");
  EXPECT_EQ(settings.client.proxy->url.port, 3128);

  settings.proxy_url = "http://x:%40y@proxy.example:3128";
  ASSERT_TRUE(complete(settings).empty());
  EXPECT_EQ(settings.client.proxy->authorization, "Basic eDpAeQ==");

  settings.proxy_url = "http://127.0.0.1:3128";
  ASSERT_TRUE(complete(settings).empty());
  EXPECT_EQ(settings.client.proxy->authorization, "");
}

TEST(Settings, NoProblemQuotesThePasswordOfTheProxy) {
  for (const char* text :
       {"https://x:hush@proxy", "http://x:hush%@proxy", "http://x:hush@pro xy"}) {
    Settings settings;
    settings.proxy_url = text;
    const std::vector<std::string> problems = complete(settings);
    ASSERT_EQ(problems.size(), 1U) << text;
    EXPECT_EQ(problems[0].find("hush"), std::string::npos);
  }
}

TEST(Settings, RetentionIsBoundedByHalfOfTheDiskUnlessSet) {
  EXPECT_EQ(retention_bytes({}, 1000), 500U);
  EXPECT_EQ(retention_bytes({.bytes = 7}, 1000), 7U);
}

}  // namespace
}  // namespace config
