#include "match/json_place.h"

#include <gtest/gtest.h>

namespace match {
namespace {

TEST(JsonPlace, KnowsThePathToAValue) {
  JsonParser parser;
  const auto root = parser.parse(R"([{"a":{"b\n":5}}])");
  ASSERT_TRUE(root.has_value());
  const JsonPlace list(*root, "list");
  const JsonPlace element = list.at(0, *root->elements().begin());
  const JsonPlace a = element.find("a");
  const JsonPlace b = a.at(*a.value().members().begin());
  EXPECT_EQ(b.value().as_integer(), 5);
  EXPECT_EQ(b.path(), R"(list[0].a."b\u000a")");
  EXPECT_EQ(element.find("c").kind(), JsonKind::kMissing);
  EXPECT_EQ(element.find("c").path(), "list[0].c");
}

TEST(JsonPlace, StartsWithoutANameWhereThereIsNone) {
  JsonParser parser;
  const auto root = parser.parse(R"({"url":1})");
  ASSERT_TRUE(root.has_value());
  EXPECT_EQ(JsonPlace(*root, "").find("url").path(), "url");
}

}  // namespace
}  // namespace match
