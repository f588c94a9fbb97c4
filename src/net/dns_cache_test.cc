#include "net/dns_cache.h"

#include <gtest/gtest.h>

#include <string>

namespace net {
namespace {

using base::Duration;
using base::Instant;

constexpr Instant kNow = Instant::from_ms(1'000'000);

DnsAnswer address(uint32_t bits) { return {.addresses = {Address::v4(bits)}, .failure = {}}; }
DnsAnswer failure(DnsFailure why) { return {.addresses = {}, .failure = why}; }

TEST(DnsCacheTest, AnAnswerIsGoodForItsTimeToLiveAndNotOneMillisecondLonger) {
  DnsCache cache({});
  cache.put("a.example", address(1), Duration::seconds(60), kNow);
  ASSERT_NE(cache.find("a.example", kNow + Duration::ms(59'999)), nullptr);
  EXPECT_EQ(cache.find("a.example", kNow)->addresses.front(), Address::v4(1));
  EXPECT_EQ(cache.find("a.example", kNow + Duration::ms(60'000)), nullptr);
  EXPECT_EQ(cache.find("b.example", kNow), nullptr);
}

TEST(DnsCacheTest, TimesToLiveAreBroughtWithinBounds) {
  DnsCache cache({.ttl_min = Duration::seconds(2), .ttl_max = Duration::seconds(10)});
  cache.put("short", address(1), Duration(), kNow);
  cache.put("long", address(1), Duration::hours(24), kNow);
  EXPECT_NE(cache.find("short", kNow + Duration::ms(1'999)), nullptr);
  EXPECT_EQ(cache.find("short", kNow + Duration::ms(2'000)), nullptr);
  EXPECT_NE(cache.find("long", kNow + Duration::ms(9'999)), nullptr);
  EXPECT_EQ(cache.find("long", kNow + Duration::ms(10'000)), nullptr);
}

TEST(DnsCacheTest, WithoutAMinimumATimeToLiveOfZeroIsNotKept) {
  DnsCache cache({.ttl_min = Duration()});
  cache.put("flips", address(1), Duration(), kNow);
  EXPECT_EQ(cache.find("flips", kNow), nullptr);
  EXPECT_EQ(cache.size(), 0U);
}

TEST(DnsCacheTest, FailuresAreKeptForAMomentButNotOurOwn) {
  DnsCache cache({.failure_ttl = Duration::seconds(3)});
  cache.put("gone", failure(DnsFailure::kNoSuchName), Duration::hours(1), kNow);
  cache.put("ours", failure(DnsFailure::kUnreachable), Duration::hours(1), kNow);
  EXPECT_NE(cache.find("gone", kNow + Duration::ms(2'999)), nullptr);
  EXPECT_EQ(cache.find("gone", kNow + Duration::ms(3'000)), nullptr);
  EXPECT_EQ(cache.find("ours", kNow), nullptr);
}

TEST(DnsCacheTest, ANewAnswerReplacesTheOldOne) {
  DnsCache cache({});
  cache.put("a.example", address(1), Duration::seconds(60), kNow);
  cache.put("a.example", address(2), Duration::seconds(60), kNow);
  EXPECT_EQ(cache.find("a.example", kNow)->addresses.front(), Address::v4(2));
  EXPECT_EQ(cache.size(), 1U);
}

TEST(DnsCacheTest, TheOldestMakesRoom) {
  DnsCache cache({.entries_max = 3});
  for (int number = 0; number < 5; ++number) {
    cache.put("host" + std::to_string(number), address(1), Duration::seconds(60), kNow);
  }
  EXPECT_EQ(cache.size(), 3U);
  EXPECT_EQ(cache.find("host1", kNow), nullptr);
  EXPECT_NE(cache.find("host2", kNow), nullptr);
  EXPECT_NE(cache.find("host4", kNow), nullptr);
}

}  // namespace
}  // namespace net
