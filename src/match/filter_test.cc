// What each comparison means, as filter.h promises it.

#include "match/filter.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

namespace match {
namespace {

Filter make_filter(const std::string& text) {
  JsonParser parser;
  base::Result<Filter> filter = parse_filter(parser, text);
  EXPECT_TRUE(filter.has_value()) << text << ": " << (filter ? "" : filter.error().detail);
  return filter.has_value() ? std::move(*filter) : Filter();
}

bool passes(const Filter& filter, const std::string& payload) {
  JsonParser parser;
  const auto root = parser.parse(payload);
  EXPECT_TRUE(root.has_value()) << payload;
  Effort effort;
  return filter.passes(States::of(*root), effort);
}

// Whether {"f": actual} passes {"f" comparison value}.
bool holds(std::string_view actual, std::string_view comparison, std::string_view value) {
  const Filter filter = make_filter(
      fmt::format(R"({{"filters":[{{"fieldName":"f","fieldValue":{},"comparison":"{}"}}]}})", value,
                  comparison));
  return passes(filter, fmt::format(R"({{"newState":{{"x":0,"f":{}}}}})", actual));
}

bool holds_on_missing(std::string_view comparison, std::string_view value) {
  const Filter filter = make_filter(
      fmt::format(R"({{"filters":[{{"fieldName":"f","fieldValue":{},"comparison":"{}"}}]}})", value,
                  comparison));
  return passes(filter, R"({"newState":{"x":0}})");
}

TEST(FilterEq, ComparesTextsByteByByte) {
  EXPECT_TRUE(holds(R"("CUR")", "eq", R"("CUR")"));
  EXPECT_FALSE(holds(R"("CUR")", "eq", R"("cur")"));
  EXPECT_FALSE(holds(R"("1.0")", "eq", R"("1")"));
  EXPECT_FALSE(holds(R"("CURRENT")", "eq", R"("CUR")"));
  EXPECT_TRUE(holds(R"("a\u0000b")", "eq", R"("a\u0000b")"));
  EXPECT_FALSE(holds(R"("2022-12-11T12:00Z")", "eq", R"("2022-12-11T13:00+01:00")"));
}

TEST(FilterEq, TakesANumberForATextThatReadsAsTheSame) {
  EXPECT_TRUE(holds("1", "eq", R"("1")"));
  EXPECT_TRUE(holds(R"("1")", "eq", "1"));
  EXPECT_TRUE(holds("100.0", "eq", R"("100")"));
  EXPECT_TRUE(holds("1e2", "eq", "100"));
  EXPECT_FALSE(holds("1", "eq", R"("one")"));
  EXPECT_FALSE(holds("1", "eq", "true"));
  EXPECT_FALSE(holds("9007199254740993", "eq", "9007199254740992"));
  EXPECT_TRUE(holds("123456789012345678901234567890", "eq", R"("123456789012345678901234567890")"));
}

TEST(FilterEq, TakesTrueForItsWord) {
  EXPECT_TRUE(holds("true", "eq", R"("true")"));
  EXPECT_TRUE(holds(R"("false")", "eq", "false"));
  EXPECT_FALSE(holds("true", "eq", "false"));
  EXPECT_FALSE(holds("true", "eq", R"("TRUE")"));
}

TEST(FilterEq, AMissingFieldIsNull) {
  EXPECT_TRUE(holds("null", "eq", "null"));
  EXPECT_TRUE(holds_on_missing("eq", "null"));
  EXPECT_FALSE(holds_on_missing("eq", R"("")"));
  EXPECT_FALSE(holds("0", "eq", "null"));
  EXPECT_FALSE(holds(R"("null")", "eq", "null"));
}

TEST(FilterEq, AnObjectMatchesInTheKeysThatItNames) {
  const std::string actual = R"({"a":{"b":"x","c":[1]},"d":5})";
  EXPECT_TRUE(holds(actual, "eq", R"({"a":{"b":"x"}})"));
  EXPECT_TRUE(holds(actual, "eq", R"({"d":"5","a":{"c":[1]}})"));
  EXPECT_TRUE(holds(actual, "eq", R"({"none":null})"));
  EXPECT_TRUE(holds(actual, "eq", "{}"));
  EXPECT_FALSE(holds(actual, "eq", R"({"a":{"b":"x","c":[2]}})"));
  EXPECT_FALSE(holds(actual, "eq", R"({"a":"x"})"));
  EXPECT_FALSE(holds(R"("x")", "eq", "{}"));
}

TEST(FilterEq, AListMatchesElementByElement) {
  EXPECT_TRUE(holds("[1,2]", "eq", R"(["1",2])"));
  EXPECT_FALSE(holds("[2,1]", "eq", "[1,2]"));
  EXPECT_FALSE(holds("[1]", "eq", "[1,2]"));
  EXPECT_FALSE(holds("[1,2,3]", "eq", "[1,2]"));
  EXPECT_FALSE(holds("[1]", "eq", "1"));
  EXPECT_TRUE(holds("[]", "eq", "[]"));
}

TEST(FilterNe, IsTheOppositeOfEq) {
  EXPECT_TRUE(holds(R"("a")", "ne", R"("b")"));
  EXPECT_FALSE(holds("1", "ne", R"("1")"));
  EXPECT_TRUE(holds_on_missing("ne", R"("b")"));
  EXPECT_FALSE(holds_on_missing("ne", "null"));
  EXPECT_TRUE(holds(R"({"a":1,"b":2})", "ne", R"({"a":1,"b":3})"));
}

TEST(FilterOrder, ComparesNumbersAlsoWhenTheyAreTexts) {
  EXPECT_TRUE(holds("20", "lt", R"("100")"));
  EXPECT_TRUE(holds(R"("20")", "lt", R"("100")"));
  EXPECT_TRUE(holds("100", "lte", R"("100")"));
  EXPECT_TRUE(holds("100", "gte", "100.0"));
  EXPECT_FALSE(holds("100", "gt", "100"));
  EXPECT_TRUE(holds("0.2", "gt", "0.1"));
  EXPECT_TRUE(holds("18446744073709551615", "gt", "9223372036854775807"));
}

TEST(FilterOrder, ComparesInstantsInAnyOffset) {
  const std::string expected = R"("2022-12-11T16:00:00.000-0800")";
  EXPECT_TRUE(holds(R"("2022-12-12T00:00:01Z")", "gt", expected));
  EXPECT_FALSE(holds(R"("2022-12-11T23:59:59Z")", "gt", expected));
  EXPECT_TRUE(holds(R"("2022-12-12T00:00:00Z")", "gte", expected));
  EXPECT_TRUE(holds(R"("2022-12-12T00:00:00Z")", "lte", expected));
  EXPECT_TRUE(holds(R"("2022-12-11")", "lt", expected));
}

TEST(FilterOrder, ComparesOtherTextsByBytes) {
  EXPECT_TRUE(holds(R"("beta")", "gt", R"("alpha")"));
  EXPECT_TRUE(holds(R"("Z")", "lt", R"("a")"));
  EXPECT_TRUE(holds(R"("x")", "gt", R"("10")"));
}

TEST(FilterOrder, DoesNotPassWhereNothingIsOrdered) {
  for (const std::string_view comparison : {"gt", "gte", "lt", "lte"}) {
    EXPECT_FALSE(holds_on_missing(comparison, "1")) << comparison;
    EXPECT_FALSE(holds("null", comparison, "1")) << comparison;
    EXPECT_FALSE(holds("true", comparison, "1")) << comparison;
    EXPECT_FALSE(holds("[1]", comparison, "1")) << comparison;
    EXPECT_FALSE(holds("5", comparison, R"("five")")) << comparison;
    EXPECT_FALSE(holds(R"("five")", comparison, "5")) << comparison;
    EXPECT_FALSE(holds("null", comparison, "null")) << comparison;
  }
}

TEST(FilterOrder, ComparesAtEachNestedKey) {
  const std::string actual = R"({"cost":50,"hours":"7"})";
  EXPECT_TRUE(holds(actual, "gt", R"({"cost":40,"hours":6})"));
  EXPECT_FALSE(holds(actual, "gt", R"({"cost":40,"hours":8})"));
  EXPECT_FALSE(holds("50", "gt", R"({"cost":40})"));
}

TEST(FilterContains, FindsATextWithinAText) {
  EXPECT_TRUE(holds(R"("the quick fox")", "contains", R"("quick")"));
  EXPECT_FALSE(holds(R"("the quick fox")", "contains", R"("Quick")"));
  EXPECT_TRUE(holds(R"("room 15")", "contains", "15"));
  EXPECT_TRUE(holds(R"("x")", "contains", R"("")"));
  EXPECT_FALSE(holds(R"("x")", "contains", "null"));
}

TEST(FilterContains, FindsAnElementOfAList) {
  EXPECT_TRUE(holds(R"(["a","b"])", "contains", R"("b")"));
  EXPECT_FALSE(holds(R"(["ab"])", "contains", R"("b")"));
  EXPECT_TRUE(holds("[1,2]", "contains", R"("2")"));
  EXPECT_TRUE(holds(R"([{"id":1,"n":"x"},{"id":2,"n":"y"}])", "contains", R"({"id":2})"));
  EXPECT_FALSE(holds(R"([{"id":1,"n":"x"},{"id":2,"n":"y"}])", "contains", R"({"id":2,"n":"x"})"));
}

TEST(FilterContains, WithAListNeedsEachOfIt) {
  EXPECT_TRUE(holds(R"(["a","b","c"])", "contains", R"(["c","a"])"));
  EXPECT_FALSE(holds(R"(["a","b"])", "contains", R"(["a","c"])"));
  EXPECT_TRUE(holds(R"("a cat")", "contains", R"(["a","cat"])"));
}

TEST(FilterContains, LooksAtNestedKeysAndScalars) {
  EXPECT_TRUE(holds(R"({"name":"red fox","x":1})", "contains", R"({"name":"fox"})"));
  EXPECT_FALSE(holds(R"({"name":"red fox"})", "contains", R"("name")"));
  EXPECT_TRUE(holds("5", "contains", R"("5")"));
  EXPECT_FALSE(holds("15", "contains", "5"));
  EXPECT_FALSE(holds_on_missing("contains", R"("")"));
  EXPECT_FALSE(holds_on_missing("contains", "[]"));
}

TEST(FilterNotContains, PassesWhereNothingOfItIs) {
  EXPECT_FALSE(holds(R"("a cat")", "notContains", R"("cat")"));
  EXPECT_TRUE(holds(R"("a cat")", "notContains", R"("dog")"));
  EXPECT_TRUE(holds(R"(["a","b"])", "notContains", R"("c")"));
  EXPECT_TRUE(holds(R"(["a","b"])", "notContains", R"(["c","d"])"));
  EXPECT_FALSE(holds(R"(["a","b"])", "notContains", R"(["c","b"])"));
  EXPECT_TRUE(holds_on_missing("notContains", R"("c")"));
}

TEST(FilterContainsOnly, WantsTheSameSetInAnyOrder) {
  EXPECT_TRUE(holds(R"(["b","a"])", "containsOnly", R"(["a","b"])"));
  EXPECT_TRUE(holds(R"(["b","a","b"])", "containsOnly", R"(["a","b"])"));
  EXPECT_FALSE(holds(R"(["a","b","c"])", "containsOnly", R"(["a","b"])"));
  EXPECT_FALSE(holds(R"(["a"])", "containsOnly", R"(["a","b"])"));
  EXPECT_TRUE(holds("[]", "containsOnly", "[]"));
  EXPECT_FALSE(holds_on_missing("containsOnly", "[]"));
}

TEST(FilterContainsOnly, TakesASingleValueForAListOfOne) {
  EXPECT_TRUE(holds(R"(["a"])", "containsOnly", R"("a")"));
  EXPECT_FALSE(holds(R"(["a","a"])", "containsOnly", R"("a")"));
  EXPECT_FALSE(holds("[]", "containsOnly", R"("a")"));
  EXPECT_TRUE(holds(R"("a")", "containsOnly", R"(["a"])"));
  EXPECT_FALSE(holds(R"("a")", "containsOnly", R"(["a","b"])"));
}

TEST(FilterChanged, ComparesTheTwoStates) {
  const Filter filter =
      make_filter(R"({"filters":[{"fieldName":"f","comparison":"changed","fieldValue":"any"}]})");
  EXPECT_TRUE(passes(filter, R"({"oldState":{"f":1},"newState":{"f":2}})"));
  EXPECT_FALSE(passes(filter, R"({"oldState":{"f":1,"g":1},"newState":{"f":1.0,"g":2}})"));
  EXPECT_TRUE(passes(filter, R"({"oldState":{"f":1},"newState":{"f":"1"}})"));
  EXPECT_FALSE(passes(filter, R"({"oldState":{"f":null},"newState":{}})"));
  EXPECT_TRUE(passes(filter, R"({"oldState":{},"newState":{"f":0}})"));
  EXPECT_FALSE(passes(filter, R"({"newState":{"f":0}})"));
  EXPECT_FALSE(passes(filter, R"({"f":0})"));
}

TEST(FilterChanged, LooksInsideObjectsAndLists) {
  const Filter filter = make_filter(R"({"filters":[{"fieldName":"f","comparison":"changed"}]})");
  const auto changed = [&](std::string_view before, std::string_view after) {
    return passes(filter,
                  fmt::format(R"({{"oldState":{{"f":{}}},"newState":{{"f":{}}}}})", before, after));
  };
  EXPECT_FALSE(changed(R"({"a":1,"b":[true]})", R"({"b":[true],"a":1})"));
  EXPECT_FALSE(changed(R"({"a":1,"n":null})", R"({"a":1})"));
  EXPECT_TRUE(changed(R"({"a":1})", R"({"a":1,"b":2})"));
  EXPECT_TRUE(changed(R"({"a":1,"b":2})", R"({"a":1})"));
  EXPECT_TRUE(changed(R"({"a":1,"n":null})", R"({"a":1,"b":2})"));
  EXPECT_TRUE(changed("[1,2]", "[2,1]"));
  EXPECT_TRUE(changed("[1]", "[1,1]"));
  EXPECT_TRUE(changed("{}", "[]"));
  EXPECT_TRUE(changed("true", "1"));
}

TEST(FilterExists, AsksForMoreThanNull) {
  EXPECT_TRUE(holds("0", "exists", "null"));
  EXPECT_FALSE(holds("null", "exists", "null"));
  EXPECT_FALSE(holds_on_missing("exists", "null"));
  EXPECT_FALSE(holds(R"("")", "notExists", "null"));
  EXPECT_TRUE(holds("null", "notExists", "null"));
  EXPECT_TRUE(holds_on_missing("notExists", "null"));
}

TEST(Filter, LooksAtTheStateItNames) {
  const Filter before = make_filter(
      R"({"filters":[{"fieldName":"f","fieldValue":1,"comparison":"eq","state":"oldState"}]})");
  EXPECT_TRUE(passes(before, R"({"oldState":{"f":1},"newState":{"f":2}})"));
  EXPECT_FALSE(passes(before, R"({"oldState":{"f":2},"newState":{"f":1}})"));
  EXPECT_FALSE(passes(before, R"({"f":1})"));
}

TEST(Filter, TakesAPayloadWithoutStatesForTheNewState) {
  const Filter filter = make_filter(R"({"filters":[{"fieldName":"f","fieldValue":1}]})");
  EXPECT_TRUE(passes(filter, R"({"f":1})"));
  EXPECT_FALSE(passes(filter, R"([{"f":1}])"));
  EXPECT_FALSE(passes(filter, "\"f\""));
}

TEST(Filter, JoinsFiltersAndGroupsByTheirConnectors) {
  const std::string a = R"({"fieldName":"a","fieldValue":1})";
  const std::string group =
      R"({"type":"group","connector":"OR","filters":[)"
      R"({"fieldName":"b","fieldValue":1},{"fieldName":"c","fieldValue":1}]})";
  const std::string filters = "[" + a + "," + group + "]";
  const Filter both = make_filter(R"({"filters":)" + filters + "}");
  EXPECT_TRUE(passes(both, R"({"a":1,"c":1})"));
  EXPECT_FALSE(passes(both, R"({"a":1})"));
  EXPECT_FALSE(passes(both, R"({"b":1,"c":1})"));
  const Filter either = make_filter(R"({"filterConnector":"OR","filters":)" + filters + "}");
  EXPECT_TRUE(passes(either, R"({"a":1})"));
  EXPECT_TRUE(passes(either, R"({"b":1})"));
  EXPECT_FALSE(passes(either, R"({"d":1})"));
}

TEST(Filter, WithoutFiltersPassesEverything) {
  for (const std::string text : {"{}", R"({"filters":null})", R"({"filters":[]})"}) {
    EXPECT_TRUE(make_filter(text).is_empty()) << text;
    EXPECT_TRUE(passes(make_filter(text), "{}")) << text;
  }
}

TEST(Filter, CountsItsEffort) {
  std::string expected = "[";
  for (int value = 0; value < 200; ++value) {
    expected += fmt::format("{},", value);
  }
  const Filter filter =
      make_filter(R"({"filters":[{"fieldName":"f","comparison":"containsOnly","fieldValue":)" +
                  expected + "200]}]}");
  std::string actual;
  for (int value = 0; value < 20'000; ++value) {
    actual += "200,";
  }
  JsonParser parser;
  const auto root = parser.parse(R"({"f":[)" + actual + "200]}");
  ASSERT_TRUE(root.has_value());
  Effort effort(100'000);
  static_cast<void>(filter.passes(States::of(*root), effort));
  EXPECT_TRUE(effort.is_exhausted());
  EXPECT_LT(effort.steps(), 101'000U);
}

}  // namespace
}  // namespace match
