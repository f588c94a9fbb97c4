#include "net/resolver.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "net/client_rig.h"
#include "net/test_name_server.h"
#include "net/test_receiver.h"

namespace net {
namespace {

using base::Duration;

constexpr Duration kPatience = Duration::seconds(20);

class ResolverTest : public testing::Test {
 protected:
  ResolverTest() {
    options_.servers = {server_.address()};
    options_.try_timeout = Duration::ms(400);
  }

  Resolver& resolver() {
    if (resolver_ == nullptr) {
      resolver_ = *Resolver::make(loop_, options_);
    }
    return *resolver_;
  }

  DnsAnswer resolve(const std::string& host) {
    std::optional<DnsAnswer> answer;
    resolver().resolve(host, [&](const DnsAnswer& came) { answer = came; });
    EXPECT_FALSE(answer.has_value()) << "done ran inside the call";
    EXPECT_TRUE(loop_.run_until([&] { return answer.has_value(); }, kPatience));
    return *answer;
  }

  Loop loop_;
  TestNameServer server_{loop_};
  ResolverOptions options_;
  std::unique_ptr<Resolver> resolver_;
};

TEST_F(ResolverTest, FindsAddressesOfBothFamilies) {
  const Address v4 = *Address::parse("192.0.2.1");
  const Address v6 = *Address::parse("2001:db8::1");
  server_.zones["both.example"] = {.addresses = {v4, v6}};
  const DnsAnswer answer = resolve("both.example");
  EXPECT_FALSE(answer.failure.has_value());
  EXPECT_EQ(answer.addresses.size(), 2U);
  EXPECT_TRUE(std::ranges::count(answer.addresses, v4) == 1);
  EXPECT_TRUE(std::ranges::count(answer.addresses, v6) == 1);
}

TEST_F(ResolverTest, CachesAnswersAndFailures) {
  server_.zones["a.example"] = {.addresses = {*Address::parse("192.0.2.1")}};
  EXPECT_EQ(resolver().cached("a.example"), nullptr);
  resolve("a.example");
  ASSERT_NE(resolver().cached("a.example"), nullptr);
  EXPECT_EQ(resolver().cached("a.example")->addresses.size(), 1U);
  resolve("gone.example");
  ASSERT_NE(resolver().cached("gone.example"), nullptr);
  EXPECT_EQ(resolver().cached("gone.example")->failure, DnsFailure::kNoSuchName);
}

TEST_F(ResolverTest, FailuresHaveTheirNames) {
  server_.zones["empty.example"] = {};
  server_.zones["broken.example"] = {.code = 2};
  server_.zones["refused.example"] = {.code = 5};
  EXPECT_EQ(resolve("gone.example").failure, DnsFailure::kNoSuchName);
  EXPECT_EQ(resolve("empty.example").failure, DnsFailure::kNoAddress);
  EXPECT_EQ(resolve("broken.example").failure, DnsFailure::kServerFailure);
  EXPECT_EQ(resolve("refused.example").failure, DnsFailure::kServerFailure);
}

TEST_F(ResolverTest, ASilentNameIsNotADeadResolver) {
  server_.zones["silent.example"] = {.is_silent = true};
  EXPECT_EQ(resolve("silent.example").failure, DnsFailure::kNoAnswer);
  EXPECT_EQ(server_.asked[""], 1) << "the root was asked for";
}

TEST_F(ResolverTest, ADeadResolverIsNotTheNamesFault) {
  server_.is_dead = true;
  EXPECT_EQ(resolve("any.example").failure, DnsFailure::kUnreachable);
  EXPECT_EQ(resolver().cached("any.example"), nullptr);
}

TEST_F(ResolverTest, AResolverThatIsNotThereIsUnreachable) {
  options_.servers = {"127.0.0.1:1"};
  EXPECT_EQ(resolve("any.example").failure, DnsFailure::kUnreachable);
}

TEST_F(ResolverTest, ASilentNameDelaysNoOther) {
  server_.zones["silent.example"] = {.is_silent = true};
  server_.zones["quick.example"] = {.addresses = {*Address::parse("192.0.2.1")}};
  bool silent_is_done = false;
  resolver().resolve("silent.example", [&](const DnsAnswer&) { silent_is_done = true; });
  EXPECT_EQ(resolve("quick.example").addresses.size(), 1U);
  EXPECT_FALSE(silent_is_done);
}

TEST_F(ResolverTest, WhoeverAsksForTheSameNameSharesTheAnswer) {
  server_.zones["a.example"] = {.addresses = {*Address::parse("192.0.2.1")}};
  int answers = 0;
  for (int number = 0; number < 50; ++number) {
    resolver().resolve("a.example", [&](const DnsAnswer&) { answers += 1; });
  }
  EXPECT_TRUE(loop_.run_until([&] { return answers == 50; }, kPatience));
  EXPECT_EQ(server_.asked["a.example"], 2) << "one for each family";
}

TEST_F(ResolverTest, AnAbandonedLookupIsSilentAndFillsTheCache) {
  server_.zones["a.example"] = {.addresses = {*Address::parse("192.0.2.1")}};
  const auto lookup = resolver().resolve("a.example", [](const DnsAnswer&) { FAIL(); });
  resolver().abandon(lookup);
  EXPECT_TRUE(
      loop_.run_until([&] { return resolver().cached("a.example") != nullptr; }, kPatience));
}

TEST_F(ResolverTest, OneFamilyDoesNotWaitLongForTheOther) {
  options_.try_timeout = Duration::seconds(30);
  server_.zones["half.example"] = {.addresses = {*Address::parse("192.0.2.1")},
                                   .is_silent_for_v6 = true};
  const base::Instant start = loop_.now();
  EXPECT_EQ(resolve("half.example").addresses.size(), 1U);
  EXPECT_LT(loop_.now() - start, Duration::seconds(10));
}

TEST_F(ResolverTest, MoreAddressesThanAnyReceiverHasAreNoAnswer) {
  options_.addresses_max = 3;
  std::vector<Address> many;
  for (uint32_t number = 1; number <= 4; ++number) {
    many.push_back(Address::v4(0xc0000200U + number));
  }
  server_.zones["many.example"] = {.addresses = many};
  EXPECT_EQ(resolve("many.example").failure, DnsFailure::kServerFailure);
}

TEST_F(ResolverTest, MayEndWithLookupsUnderWay) {
  server_.is_dead = true;
  resolver().resolve("a.example", [](const DnsAnswer&) { FAIL(); });
  loop_.run_until([&] { return server_.asked["a.example"] > 0; }, kPatience);
  resolver().resolve("b.example", [](const DnsAnswer&) { FAIL(); });
  resolver_.reset();
  loop_.run_until([] { return false; }, Duration::ms(30));
}

TEST(ResolverOptionsTest, ServersThatAreNoneAreRefused) {
  Loop loop;
  EXPECT_FALSE(Resolver::make(loop, {.servers = {"not an address"}}).has_value());
}

// Names through the whole client.
class NamedReceiverTest : public ClientRig {
 protected:
  NamedReceiverTest() { options_.resolver.servers = {server_.address()}; }

  TestNameServer server_{loop_};
  TestReceiver receiver_{loop_};
};

TEST_F(NamedReceiverTest, IsFoundByItsName) {
  server_.zones["hook.example.com"] = {.addresses = {*Address::parse("127.0.0.1")}};
  EXPECT_EQ(status_of(post(receiver_.url("hook.example.com"))), 200);
  EXPECT_TRUE(post(receiver_.url("hook.example.com")).is_reused);
  EXPECT_NE(receiver_.requests[0].text.find("\r\nHost: hook.example.com:"), std::string::npos);
}

TEST_F(NamedReceiverTest, OneForbiddenAnswerRefusesTheName) {
  server_.zones["mixed.example.com"] = {
      .addresses = {*Address::parse("127.0.0.1"), *Address::parse("10.0.0.1")}};
  const Reply reply = post(receiver_.url("mixed.example.com"));
  EXPECT_EQ(std::get<TargetRefused>(reply.ending).refusal, Refusal::kPrivate);
  settle();
  EXPECT_EQ(receiver_.connections, 0);
}

TEST_F(NamedReceiverTest, TheNextAddressIsTriedWhenOneRefuses) {
  server_.zones["two.example.com"] = {
      .addresses = {*Address::parse("127.0.0.2"), *Address::parse("127.0.0.1")}};
  EXPECT_EQ(status_of(post(receiver_.url("two.example.com"))), 200);
}

TEST_F(NamedReceiverTest, FailuresOfTheNameAreTheReceivers) {
  const Reply reply = post("http://gone.example.com/");
  EXPECT_EQ(std::get<NameFailed>(reply.ending).failure, DnsFailure::kNoSuchName);
}

TEST_F(NamedReceiverTest, ASlowNameTimesOutResolving) {
  server_.zones["slow.example.com"] = {.is_silent = true};
  const Reply reply = post("http://slow.example.com/", Duration::ms(900));
  EXPECT_EQ(std::get<TimedOut>(reply.ending).phase, Phase::kDns);
}

TEST_F(NamedReceiverTest, ADeadResolverMeansNotStarted) {
  server_.is_dead = true;
  const Reply reply = post("http://any.example.com/", Duration::ms(900));
  EXPECT_EQ(std::get<NotStarted>(reply.ending).failure, StartFailure::kResolversUnreachable);
}

TEST_F(NamedReceiverTest, AnAddressThatFlipsToAForbiddenOneIsNotConnectedTo) {
  options_.resolver.cache.ttl_min = Duration();
  auto& zone = server_.zones["flips.example.com"];
  zone = {.addresses = {*Address::parse("127.0.0.1")}, .ttl = 0};
  EXPECT_EQ(status_of(post(receiver_.url("flips.example.com"))), 200);
  zone.addresses = {*Address::parse("169.254.169.254")};
  const Reply reply = post(receiver_.url("flips.example.com"));
  EXPECT_TRUE(std::holds_alternative<TargetRefused>(reply.ending));
}

}  // namespace
}  // namespace net
