// What is refused, and whether the words help.

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "match/filter.h"

namespace match {
namespace {

using testing::HasSubstr;

std::string error_of(const std::string& text) {
  JsonParser parser;
  const base::Result<Filter> filter = parse_filter(parser, text);
  return filter.has_value() ? "" : filter.error().detail;
}

std::string error_in(const std::string& filter) {
  return error_of(R"({"filters":[)" + filter + "]}");
}

// `count` copies, as a list without its brackets.
std::string copies(size_t count, const std::string& text) {
  std::string list;
  for (size_t copy = 0; copy < count; ++copy) {
    list += (copy == 0 ? "" : ",") + text;
  }
  return list;
}

std::string group_of(size_t count) {
  return R"({"type":"group","connector":"AND","filters":[)" +
         copies(count, R"({"fieldName":"a","fieldValue":1})") + "]}";
}

TEST(FilterParser, OffersTheNearestWord) {
  EXPECT_EQ(error_in(R"({"feildName":"a","fieldValue":1})"),
            R"(filters[0]: there is no field "feildName"; did you mean "fieldName"?)");
  EXPECT_EQ(error_in(R"({"fieldName":"a","fieldValue":1,"comparison":"change"})"),
            R"(filters[0].comparison: there is no "change"; did you mean "changed"?)");
  EXPECT_EQ(error_in(R"({"fieldName":"a","fieldValue":1,"state":"newstate"})"),
            R"(filters[0].state: there is no "newstate"; did you mean "newState"?)");
  EXPECT_EQ(error_of(R"({"filters":[],"filterConnector":"and"})"),
            R"(filterConnector: there is no "and"; did you mean "AND"?)");
  EXPECT_EQ(error_of(R"({"filter":[]})"), R"(there is no field "filter"; did you mean "filters"?)");
}

TEST(FilterParser, ListsTheWordsWhenNoneIsNear) {
  EXPECT_EQ(error_in(R"({"fieldName":"a","fieldValue":1,"state":"yesterday"})"),
            R"(filters[0].state: there is no "yesterday"; there are "newState", "oldState")");
}

TEST(FilterParser, NamesThePlaceWithinAGroup) {
  EXPECT_EQ(error_in(R"({"fieldName":"a","fieldValue":1},{"type":"group","filters":[)"
                     R"({"fieldName":"a","fieldValue":1},{"fieldName":"","fieldValue":1}]})"),
            "filters[1].filters[1].fieldName: must be the name of a field of newState or oldState");
}

TEST(FilterParser, WantsAFieldValueWhereItIsCompared) {
  EXPECT_EQ(error_in(R"({"fieldName":"a","comparison":"gt"})"),
            R"(filters[0]: "gt" needs a fieldValue; null is one)");
  EXPECT_EQ(error_in(R"({"fieldName":"a"})"),
            R"(filters[0]: "eq" needs a fieldValue; null is one)");
  EXPECT_EQ(error_in(R"({"fieldName":"a","comparison":"exists"})"), "");
}

TEST(FilterParser, TellsWrongShapes) {
  EXPECT_THAT(error_of("[]"), HasSubstr("must be an object"));
  EXPECT_THAT(error_of(R"({"filters":{}})"), HasSubstr("filters: must be a list"));
  EXPECT_THAT(error_in("5"), HasSubstr("filters[0]: must be an object"));
  EXPECT_THAT(error_in(R"({"filters":[]})"), HasSubstr("filters[0].type: must be \"group\""));
  EXPECT_THAT(error_in(R"({"type":"filter","fieldName":"a"})"), HasSubstr("filters[0].type"));
  EXPECT_THAT(error_in(R"({"fieldName":"a","fieldValue":1,"comparison":5})"),
              HasSubstr("filters[0].comparison: must be a text"));
  EXPECT_THAT(error_in(R"({"type":"group","filters":[5,5]})"), HasSubstr("filters[0].filters[0]"));
  EXPECT_EQ(error_in(R"({"type":"group","filters":[)" + group_of(2) + "," + group_of(2) + "]}"),
            "filters[0].filters[0]: a group may not hold another group");
  EXPECT_THAT(error_of("{"), HasSubstr("at byte 1"));
}

TEST(FilterParser, AllowsTenGroupsOfTwoToFive) {
  EXPECT_EQ(error_in(copies(10, group_of(2))), "");
  EXPECT_EQ(error_in(group_of(5)), "");
  EXPECT_THAT(error_in(copies(11, group_of(2))), HasSubstr("filters[10]: is one group too many"));
  EXPECT_THAT(error_in(group_of(1)), HasSubstr("a group needs a list of 2 to 5 filters"));
  EXPECT_THAT(error_in(group_of(6)), HasSubstr("a group needs a list of 2 to 5 filters"));
}

TEST(FilterParser, BoundsWhatASubscriberCanStore) {
  const std::string one = R"({"fieldName":"a","fieldValue":1})";
  EXPECT_EQ(error_in(copies(kFiltersMax, one)), "");
  EXPECT_THAT(error_in(copies(kFiltersMax + 1, one)), HasSubstr("filters: has 101 entries"));

  const auto with_value = [](const std::string& value) {
    return error_in(R"({"fieldName":"a","fieldValue":)" + value + "}");
  };
  EXPECT_EQ(with_value("\"" + std::string(kValueBytesMax, 'x') + "\""), "");
  EXPECT_THAT(with_value("\"" + std::string(kValueBytesMax + 1, 'x') + "\""),
              HasSubstr("filters[0].fieldValue: is longer than 4096 bytes"));
  EXPECT_EQ(with_value("[" + copies(kFilterValuesMax - 1, "1") + "]"), "");
  EXPECT_THAT(with_value("[" + copies(kFilterValuesMax, "1") + "]"),
              HasSubstr("is one value too many"));
  EXPECT_EQ(with_value(std::string(8, '[') + "1" + std::string(8, ']')), "");
  EXPECT_THAT(with_value(std::string(9, '[') + "1" + std::string(9, ']')),
              HasSubstr("is nested more than 8 deep"));
  EXPECT_THAT(with_value("[" + copies(18, "\"" + std::string(4000, 'x') + "\"") + "]"),
              HasSubstr("together exceed 65536 bytes"));
  EXPECT_THAT(error_in(R"({"fieldName":")" + std::string(257, 'x') + R"(","fieldValue":1})"),
              HasSubstr("filters[0].fieldName: is longer than 256 bytes"));
}

TEST(FilterParser, QuotesWhatItRefusesSafely) {
  const std::string error = error_in(R"({"a\u0000\n)" + std::string(300, 'x') + R"(":1})");
  EXPECT_THAT(error, HasSubstr(R"("a\u0000\u000axxx)"));
  EXPECT_LT(error.size(), 200U);
}

}  // namespace
}  // namespace match
