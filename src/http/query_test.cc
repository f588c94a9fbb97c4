#include "http/query.h"

#include <gtest/gtest.h>

#include <string>

namespace http {
namespace {

std::string error_of(std::string_view text) {
  const auto query = Query::parse(text);
  return query.has_value() ? "" : query.error().detail;
}

TEST(Query, IsTakenApartAndDecoded) {
  const Query query = *Query::parse("state=failed&type=a.*&q=a%20b+c%2B&empty=&bare");
  EXPECT_EQ(query.find("state"), "failed");
  EXPECT_EQ(query.find("q"), "a b c+");
  EXPECT_EQ(query.find("empty"), "");
  EXPECT_EQ(query.find("bare"), "");
  EXPECT_EQ(query.find("none"), std::nullopt);
  EXPECT_EQ(query.parameters().size(), 5U);
}

TEST(Query, MayBeEmptyOrHaveEmptyParts) {
  EXPECT_TRUE(Query::parse("")->parameters().empty());
  EXPECT_EQ(Query::parse("&&a=1&")->parameters().size(), 1U);
}

TEST(Query, KeepsEqualSignsOfTheValue) {
  EXPECT_EQ(Query::parse("cursor=abc==")->find("cursor"), "abc==");
}

TEST(Query, RefusesWhatCannotBeDecoded) {
  for (const char* text : {"a=%", "a=%1", "a=%gg", "a=%00", "%ff=1", "=1", "a=%0d%0a"}) {
    EXPECT_NE(error_of(text), "") << text;
  }
}

TEST(Query, RefusesAParameterThatIsThereTwice) {
  EXPECT_EQ(error_of("a=1&b=2&%61=3"), "the parameter 'a' is there twice; keep one");
}

TEST(Query, RefusesTooManyParameters) {
  std::string text;
  for (size_t number = 0; number < Query::kParametersMax; ++number) {
    text += "p" + std::to_string(number) + "=1&";
  }
  EXPECT_EQ(error_of(text), "");
  EXPECT_EQ(error_of(text + "one=more"), "the query has more than 32 parameters");
}

}  // namespace
}  // namespace http
