#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "match/filter.h"

namespace match {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kNothing =
    "no event can ever pass these filters, so this subscription will receive nothing";

std::vector<std::string> warnings(const std::string& filters, std::string_view type = "UPDATE",
                                  const std::string& connector = "AND") {
  JsonParser parser;
  const base::Result<Filter> filter = parse_filter(
      parser, R"({"filterConnector":")" + connector + R"(","filters":[)" + filters + "]}");
  EXPECT_TRUE(filter.has_value()) << filters;
  return warnings_of(*filter, type);
}

std::string on(const std::string& comparison, const std::string& value,
               const std::string& state = "newState") {
  return R"({"fieldName":"f","comparison":")" + comparison + R"(","fieldValue":)" + value +
         R"(,"state":")" + state + "\"}";
}

TEST(FilterWarnings, SaysNothingAboutFiltersThatCanPass) {
  EXPECT_THAT(warnings(on("gt", "1") + "," + on("lt", "5")), IsEmpty());
  EXPECT_THAT(warnings(on("gte", "5") + "," + on("lte", "5")), IsEmpty());
  EXPECT_THAT(warnings(on("eq", "1") + "," + on("eq", "\"1\"")), IsEmpty());
  EXPECT_THAT(warnings(on("eq", "\"a\"") + "," + on("eq", "\"b\""), "UPDATE", "OR"), IsEmpty());
  EXPECT_THAT(warnings(on("eq", "1") + "," + on("eq", "2", "oldState")), IsEmpty());
  EXPECT_THAT(warnings(on("gt", "\"10\"") + "," + on("lt", "\"9\"")), IsEmpty());
  EXPECT_THAT(warnings(on("changed", "1"), "CREATE"), IsEmpty());
  EXPECT_THAT(warnings(on("ne", "1", "oldState"), "CREATE"), IsEmpty());
  EXPECT_THAT(warnings(on("eq", "1", "oldState"), "**"), IsEmpty());
}

TEST(FilterWarnings, KnowsWhatCannotBeOrdered) {
  for (const std::string value : {"null", "true", "[1]", R"({"a":[1]})"}) {
    EXPECT_THAT(
        warnings(on("gt", value)),
        ElementsAre(HasSubstr("filters[0]: \"gt\" orders numbers, dates and texts"), kNothing))
        << value;
  }
}

TEST(FilterWarnings, KnowsWhichStateIsEmpty) {
  EXPECT_THAT(warnings(on("eq", "1", "oldState"), "CREATE"),
              ElementsAre(HasSubstr("a CREATE event has an empty oldState"), kNothing));
  EXPECT_THAT(warnings(on("exists", "1"), "DELETE"),
              ElementsAre(HasSubstr("a DELETE event has an empty newState"), kNothing));
}

TEST(FilterWarnings, FindsContradictions) {
  const auto contradict = [](const std::string& left, const std::string& right) {
    const auto found = warnings(left + "," + right);
    return found.size() == 2 && found[1] == kNothing &&
           found[0] == "filters[0] and filters[1] contradict each other on \"f\"";
  };
  EXPECT_TRUE(contradict(on("eq", "\"a\""), on("eq", "\"b\"")));
  EXPECT_TRUE(contradict(on("eq", "\"a\""), on("ne", "\"a\"")));
  EXPECT_TRUE(contradict(on("ne", "\"a\""), on("eq", "\"a\"")));
  EXPECT_TRUE(contradict(on("gt", "5"), on("lt", "5")));
  EXPECT_TRUE(contradict(on("lt", "3"), on("gt", "\"5\"")));
  EXPECT_TRUE(contradict(on("eq", "3"), on("gt", "3")));
  EXPECT_TRUE(contradict(on("gt", "\"2022-01-02\""), on("lt", "\"2022-01-01T12:00Z\"")));
  EXPECT_TRUE(contradict(on("notExists", "1"), on("eq", "1")));
  EXPECT_TRUE(contradict(on("exists", "1"), on("notExists", "1")));
  EXPECT_TRUE(contradict(on("exists", "1"), on("eq", "null")));
}

TEST(FilterWarnings, AHopelessFilterAmongAlternativesIsNamedOnly) {
  EXPECT_THAT(warnings(on("gt", "null") + "," + on("gt", "1"), "UPDATE", "OR"),
              ElementsAre(HasSubstr("filters[0]")));
  EXPECT_THAT(warnings(on("gt", "null") + "," + on("gt", "true"), "UPDATE", "OR"),
              ElementsAre(HasSubstr("filters[0]"), HasSubstr("filters[1]"), kNothing));
  EXPECT_THAT(warnings(R"({"type":"group","connector":"OR","filters":[)" + on("gt", "null") + "," +
                       on("gt", "1") + "]}"),
              ElementsAre(HasSubstr("filters[0].filters[0]")));
}

}  // namespace
}  // namespace match
