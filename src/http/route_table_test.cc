#include "http/route_table.h"

#include <gtest/gtest.h>

#include <string>

namespace http {
namespace {

using Table = RouteTable<std::string>;

Table table() {
  return Table({
      {{Method::kGet, "/", "read", "Home"}, "home"},
      {{Method::kPost, "/v1/events", "publish", "Publish", 1000}, "publish"},
      {{Method::kGet, "/v1/events/{id}", "read", "One event"}, "event"},
      {{Method::kGet, "/v1/events/search", "read", "Search"}, "search"},
      {{Method::kPut, "/v1/endpoints/{id}/enable", "manage", "Enable", 10}, "enable"},
      {{Method::kDelete, "/v1/a/{first}/b/{second}", "manage", "Two"}, "two"},
      {{Method::kGet, "/v1/a/{other}/b/{name}", "read", "Two again"}, "two again"},
  });
}

// What is done for a request: the action, "404", or "405" with the methods allowed.
std::string found(Method method, std::string_view path) {
  const Table routes = table();
  const auto result = routes.find(method, path);
  if (const auto* match = std::get_if<Table::Match>(&result)) {
    return match->row->action;
  }
  const auto* refused = std::get_if<MethodNotAllowed>(&result);
  return refused == nullptr ? "404" : "405 " + refused->allow;
}

TEST(RouteTable, FindsLiteralPathsAndNames) {
  EXPECT_EQ(found(Method::kGet, "/"), "home");
  EXPECT_EQ(found(Method::kPost, "/v1/events"), "publish");
  EXPECT_EQ(found(Method::kGet, "/v1/events/evt_1"), "event");
  EXPECT_EQ(found(Method::kPut, "/v1/endpoints/ep_1/enable"), "enable");
}

TEST(RouteTable, PrefersALiteralToAName) {
  EXPECT_EQ(found(Method::kGet, "/v1/events/search"), "search");
}

TEST(RouteTable, RepairsNoPath) {
  for (const char* path :
       {"", "v1/events", "/v1/events/", "//v1/events", "/v1//events", "/v1", "/v1/./events",
        "/v1/x/../events", "/V1/events", "/v1/events/a/b", "/v1/endpoints//enable", "*"}) {
    EXPECT_EQ(found(Method::kPost, path), "404") << path;
  }
}

TEST(RouteTable, SaysWhichMethodsAPathHas) {
  EXPECT_EQ(found(Method::kGet, "/v1/events"), "405 POST");
  EXPECT_EQ(found(Method::kPost, "/v1/events/evt_1"), "405 GET, HEAD");
  EXPECT_EQ(found(Method::kPut, "/v1/a/1/b/2"), "405 GET, HEAD, DELETE");
}

TEST(RouteTable, AnswersHeadWithTheRowOfGet) {
  EXPECT_EQ(found(Method::kHead, "/v1/events/evt_1"), "event");
  EXPECT_EQ(found(Method::kHead, "/v1/events"), "405 POST");
}

TEST(RouteTable, NamesValuesAsTheVeryRowDoes) {
  const Table routes = table();
  const auto removal = std::get<Table::Match>(routes.find(Method::kDelete, "/v1/a/x/b/y"));
  EXPECT_EQ(removal.values["first"], "x");
  EXPECT_EQ(removal.values["second"], "y");
  const auto reading = std::get<Table::Match>(routes.find(Method::kGet, "/v1/a/x/b/y"));
  EXPECT_EQ(reading.values["other"], "x");
  EXPECT_EQ(reading.values["name"], "y");
}

TEST(RouteTable, DecodesSegmentsAfterCuttingThem) {
  const Table routes = table();
  const auto match =
      std::get<Table::Match>(routes.find(Method::kGet, "/v1/%65vents/a%2Fb%20%C3%A4+c"));
  EXPECT_EQ(match.values["id"], "a/b \xc3\xa4+c");
}

TEST(RouteTable, FindsNothingForAnEscapeThatIsNone) {
  for (const char* path :
       {"/v1/events/%", "/v1/events/%4", "/v1/events/%zz", "/v1/events/%00", "/v1/events/%0a",
        "/v1/events/%ff", "/v1/events/%c3", "/v1/events/%7F", "/v1/events/%ed%a0%80",
        "/v1/events/%c0%af", "/v1/events/%f4%90%80%80"}) {
    EXPECT_EQ(found(Method::kGet, path), "404") << path;
  }
}

TEST(RouteTable, KnowsHowLargeABodyMayBe) {
  const Table routes = table();
  EXPECT_EQ(routes.body_bytes_max(Method::kPost, "/v1/events"), 1000U);
  EXPECT_EQ(routes.body_bytes_max(Method::kGet, "/v1/events/x"), 0U);
  EXPECT_EQ(routes.body_bytes_max(Method::kPost, "/nowhere"), 65536U);
  EXPECT_EQ(routes.body_bytes_max(Method::kDelete, "/v1/events"), 65536U);
}

TEST(RouteTable, ShowsItsRowsInTheOrderOfTheirDeclaration) {
  const Table routes = table();
  ASSERT_EQ(routes.rows().size(), 7U);
  EXPECT_EQ(routes.rows()[1].route.scope, "publish");
  EXPECT_EQ(routes.rows()[1].route.summary, "Publish");
}

TEST(RouteTableDeathTest, RefusesMistakesInTheTable) {
  EXPECT_DEATH(Table({{{Method::kGet, "/a"}, ""}, {{Method::kGet, "/a"}, ""}}), "CHECK");
  EXPECT_DEATH(Table({{{Method::kGet, "/{a}"}, ""}, {{Method::kGet, "/{b}"}, ""}}), "CHECK");
  EXPECT_DEATH(Table({{{Method::kGet, "a"}, ""}}), "CHECK");
  EXPECT_DEATH(Table({{{Method::kGet, "/a{b}"}, ""}}), "CHECK");
}

}  // namespace
}  // namespace http
