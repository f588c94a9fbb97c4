#include "match/subscription_index.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace match {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Subscription subscription(uint64_t id, std::string type = "**", std::string code = "",
                          std::string object = "") {
  return {.tenant = {1},
          .id = {id},
          .endpoint = {id * 10},
          .url = fmt::format("https://receiver.example/{}", id),
          .type_pattern = std::move(type),
          .object_code = std::move(code),
          .object_id = std::move(object)};
}

Subscription with_filter(Subscription wanted, const std::string& filters) {
  JsonParser parser;
  base::Result<Filter> filter = parse_filter(parser, R"({"filters":[)" + filters + "]}");
  EXPECT_TRUE(filter.has_value()) << filters;
  wanted.filter = std::move(*filter);
  return wanted;
}

std::string customer(uint64_t number) {
  return fmt::format(R"({{"fieldName":"customer","fieldValue":"c{}"}})", number);
}

class SubscriptionIndexTest : public testing::Test {
 protected:
  std::vector<uint64_t> ids(const std::string& type, const std::string& code = "",
                            const std::string& object = "", const std::string& payload = "{}",
                            uint64_t tenant = 1) {
    const auto root = parser_.parse(payload);
    EXPECT_TRUE(root.has_value());
    std::vector<Match> matches;
    const auto count = index_.match({.tenant = {tenant},
                                     .type = type,
                                     .object_code = code,
                                     .object_id = object,
                                     .states = States::of(*root)},
                                    matches);
    EXPECT_TRUE(count.has_value());
    EXPECT_EQ(*count, matches.size());
    std::vector<uint64_t> found;
    found.reserve(matches.size());
    for (const Match& match : matches) {
      found.push_back(match.id.value);
    }
    return found;
  }

  void add(Subscription wanted) { EXPECT_TRUE(index_.add(std::move(wanted))); }

  SubscriptionIndex index_;
  JsonParser parser_;
};

TEST_F(SubscriptionIndexTest, MatchesOnTypeCodeAndObject) {
  add(subscription(1, "UPDATE", "PROJ", "p1"));
  add(subscription(2, "UPDATE", "PROJ"));
  add(subscription(3, "UPDATE"));
  add(subscription(4));
  add(subscription(5, "**", "", "p1"));
  add(subscription(6, "CREATE", "PROJ"));
  EXPECT_THAT(ids("UPDATE", "PROJ", "p1"), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(ids("UPDATE", "PROJ", "p2"), ElementsAre(2, 3, 4));
  EXPECT_THAT(ids("CREATE", "TASK", "p1"), ElementsAre(4, 5));
}

TEST_F(SubscriptionIndexTest, MatchesWildcardsInTypes) {
  add(subscription(1, "order.*"));
  add(subscription(2, "order.**"));
  add(subscription(3, "*.created"));
  add(subscription(4, "order.created"));
  EXPECT_THAT(ids("order.created"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(ids("order.item.created"), ElementsAre(2));
  EXPECT_THAT(ids("user.created"), ElementsAre(3));
  EXPECT_THAT(ids("order"), IsEmpty());
}

TEST_F(SubscriptionIndexTest, AnswersInTheOrderOfIds) {
  for (const uint64_t id : {30U, 10U, 20U}) {
    add(subscription(id, id == 10 ? "a.*" : "a.b"));
  }
  EXPECT_THAT(ids("a.b"), ElementsAre(10, 20, 30));
}

TEST_F(SubscriptionIndexTest, AppendsToWhatIsThere) {
  add(subscription(1));
  std::vector<Match> matches = {{.id = {99}}};
  ASSERT_TRUE(index_.match({.tenant = {1}, .type = "a"}, matches).has_value());
  ASSERT_EQ(matches.size(), 2U);
  EXPECT_EQ(matches[0].id.value, 99U);
}

TEST_F(SubscriptionIndexTest, KeepsTenantsApart) {
  Subscription other = subscription(1);
  other.tenant = {2};
  add(std::move(other));
  EXPECT_THAT(ids("a"), IsEmpty());
  EXPECT_THAT(ids("a", "", "", "{}", 2), ElementsAre(1));
  index_.remove_tenant({2});
  EXPECT_THAT(ids("a", "", "", "{}", 2), IsEmpty());
  EXPECT_EQ(index_.size({2}), 0U);
}

TEST_F(SubscriptionIndexTest, HandsOutWhatADeliveryNeeds) {
  Subscription wanted = subscription(7);
  wanted.ordered = true;
  wanted.has_own_queue = true;
  add(std::move(wanted));
  std::vector<Match> matches;
  ASSERT_TRUE(index_.match({.tenant = {1}, .type = "a"}, matches).has_value());
  EXPECT_THAT(matches, ElementsAre(Match{
                           .id = {7}, .endpoint = {70}, .ordered = true, .has_own_queue = true}));
  EXPECT_EQ(index_.url_of({1}, {7}), "https://receiver.example/7");
  EXPECT_EQ(index_.endpoint_of({1}, {7}), base::EndpointId{70});
  EXPECT_EQ(index_.url_of({1}, {8}), std::nullopt);
  EXPECT_EQ(index_.endpoint_of({2}, {7}), std::nullopt);
}

TEST_F(SubscriptionIndexTest, RefusesAnIdThatIsThere) {
  add(subscription(1, "a"));
  EXPECT_FALSE(index_.add(subscription(1, "b")));
  EXPECT_THAT(ids("a"), ElementsAre(1));
  EXPECT_THAT(ids("b"), IsEmpty());
}

TEST_F(SubscriptionIndexTest, ReplacesAndRemoves) {
  EXPECT_FALSE(index_.replace(subscription(1)));
  EXPECT_FALSE(index_.remove({1}, {1}));
  add(subscription(1, "a"));
  add(subscription(2, "a"));
  EXPECT_TRUE(index_.replace(subscription(1, "b")));
  EXPECT_THAT(ids("a"), ElementsAre(2));
  EXPECT_THAT(ids("b"), ElementsAre(1));
  EXPECT_TRUE(index_.remove({1}, {1}));
  EXPECT_FALSE(index_.remove({1}, {1}));
  EXPECT_THAT(ids("b"), IsEmpty());
  EXPECT_EQ(index_.size({1}), 1U);
}

TEST_F(SubscriptionIndexTest, LooksUpTheRarestValueThatAFilterRequires) {
  for (uint64_t id = 1; id <= 1000; ++id) {
    add(with_filter(subscription(id, "UPDATE"),
                    R"({"fieldName":"status","fieldValue":"CUR"},)" + customer(id / 2)));
  }
  EXPECT_THAT(ids("UPDATE", "", "", R"({"customer":"c250","status":"CUR"})"),
              ElementsAre(500, 501));
  EXPECT_THAT(ids("UPDATE", "", "", R"({"customer":"c250","status":"DED"})"), IsEmpty());
  EXPECT_THAT(ids("UPDATE", "", "", R"({"status":"CUR"})"), IsEmpty());
}

TEST_F(SubscriptionIndexTest, FindsNestedAndOldValuesToo) {
  for (uint64_t id = 1; id <= 100; ++id) {
    add(with_filter(
        subscription(id),
        fmt::format(R"({{"fieldName":"p","fieldValue":{{"DE: n":{}}},"state":"oldState"}})", id)));
  }
  EXPECT_THAT(ids("a", "", "", R"({"oldState":{"p":{"DE: n":"77"}},"newState":{}})"),
              ElementsAre(77));
}

TEST_F(SubscriptionIndexTest, TakesMoreShapesAndFieldsThanItHasRoomFor) {
  uint64_t id = 0;
  std::string type = "w";
  for (int words = 1; words < 16; ++words) {
    for (const std::string code : {"", "C"}) {
      for (const std::string object : {"", "o"}) {
        add(subscription(++id, type, code, object));
        add(subscription(++id, type + ".**", code, object));
      }
    }
    type += ".w";
  }
  for (uint64_t field = 0; field < 300; ++field) {
    add(with_filter(subscription(++id, "other"),
                    fmt::format(R"({{"fieldName":"f{}","fieldValue":1}})", field)));
  }
  EXPECT_EQ(ids("w.w.w", "C", "o").size(), 4U + 2 * 4U);
  EXPECT_EQ(ids("w.w.w", "", "").size(), 1U + 2 * 1U);
  EXPECT_EQ(ids("other", "", "", R"({"f299":1,"f0":1})").size(), 2U);
}

TEST_F(SubscriptionIndexTest, RefusesAPayloadThatWouldTakeTooLong) {
  for (uint64_t id = 1; id <= 3000; ++id) {
    add(with_filter(subscription(id), R"({"fieldName":"z","comparison":"gt","fieldValue":1})"));
  }
  std::string payload = "{";
  for (int key = 0; key < 20'000; ++key) {
    payload += fmt::format("\"{}\":0,", key);
  }
  const auto root = parser_.parse(payload + "\"z\":2}");
  ASSERT_TRUE(root.has_value());
  std::vector<Match> matches;
  const auto count =
      index_.match({.tenant = {1}, .type = "a", .states = States::of(*root)}, matches);
  ASSERT_FALSE(count.has_value());
  EXPECT_EQ(count.error().code, base::ErrorCode::kInvalid);
  EXPECT_THAT(matches, IsEmpty());
}

TEST_F(SubscriptionIndexTest, ExplainsWhyNothingMatched) {
  EXPECT_EQ(index_.explain_no_match({.tenant = {1}, .type = "a"}),
            "the tenant has no subscriptions");
  add(subscription(1, "b"));
  EXPECT_THAT(
      index_.explain_no_match({.tenant = {1}, .type = "a", .object_code = "PROJ"}),
      HasSubstr("none of the tenant's 1 subscription asks for type \"a\", object code \"PROJ\""));
}

}  // namespace
}  // namespace match
