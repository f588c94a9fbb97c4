#include "registry/throttle.h"

#include <gtest/gtest.h>

namespace registry {
namespace {

using base::Duration;
using base::Instant;

constexpr Instant kNow = Instant::from_ms(1'000'000);

net::Address address(std::string_view text) { return net::Address::parse(text).value(); }

void fail_often(Throttle& throttle, const net::Address& peer, int times, Instant now) {
  for (int i = 0; i < times; ++i) {
    throttle.failed(peer, now);
  }
}

TEST(Throttle, TenFailuresInAMinuteCloseTheDoorForAMinute) {
  Throttle throttle({});
  const net::Address peer = address("192.0.2.1");
  fail_often(throttle, peer, 9, kNow);
  EXPECT_FALSE(throttle.wait_of(peer, kNow).has_value());
  throttle.failed(peer, kNow + Duration::seconds(30));
  EXPECT_EQ(throttle.wait_of(peer, kNow + Duration::seconds(30)), Duration::seconds(60));
  EXPECT_EQ(throttle.wait_of(peer, kNow + Duration::seconds(89)), Duration::seconds(1));
  EXPECT_FALSE(throttle.wait_of(peer, kNow + Duration::seconds(90)).has_value());
}

TEST(Throttle, FailuresAreForgottenAfterAMinute) {
  Throttle throttle({});
  const net::Address peer = address("192.0.2.1");
  fail_often(throttle, peer, 9, kNow);
  fail_often(throttle, peer, 9, kNow + Duration::minutes(1));
  EXPECT_FALSE(throttle.wait_of(peer, kNow + Duration::minutes(1)).has_value());
}

TEST(Throttle, AddressesOfOneIpv6NetworkCountTogether) {
  Throttle throttle({});
  for (int i = 0; i < 10; ++i) {
    throttle.failed(address("2001:db8:0:1::" + std::to_string(i + 1)), kNow);
  }
  EXPECT_TRUE(throttle.wait_of(address("2001:db8:0:1:ffff::1"), kNow).has_value());
  EXPECT_FALSE(throttle.wait_of(address("2001:db8:0:2::1"), kNow).has_value());
}

TEST(Throttle, Ipv4ClientsOfASocketForBothFamiliesCountAlone) {
  Throttle throttle({});
  fail_often(throttle, address("::ffff:192.0.2.1"), 10, kNow);
  EXPECT_TRUE(throttle.wait_of(address("192.0.2.1"), kNow).has_value());
  EXPECT_FALSE(throttle.wait_of(address("::ffff:192.0.2.2"), kNow).has_value());
}

TEST(Throttle, Ipv4AddressesCountAlone) {
  Throttle throttle({});
  fail_often(throttle, address("192.0.2.1"), 10, kNow);
  EXPECT_FALSE(throttle.wait_of(address("192.0.2.2"), kNow).has_value());
}

TEST(Throttle, TheLongestIdleAddressMakesRoom) {
  Throttle throttle({.tries_max = 2, .period = Duration::minutes(1), .addresses_max = 2});
  fail_often(throttle, address("192.0.2.1"), 2, kNow);
  fail_often(throttle, address("192.0.2.2"), 2, kNow);
  throttle.failed(address("192.0.2.1"), kNow);
  throttle.failed(address("192.0.2.3"), kNow);
  EXPECT_TRUE(throttle.wait_of(address("192.0.2.1"), kNow).has_value());
  EXPECT_FALSE(throttle.wait_of(address("192.0.2.2"), kNow).has_value());
}

}  // namespace
}  // namespace registry
