#include "match/type_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace match {
namespace {

using testing::HasSubstr;

bool matches(std::string_view pattern, std::string_view type) {
  const auto parsed = parse_type_pattern(pattern);
  EXPECT_TRUE(parsed.has_value()) << pattern;
  return parsed.has_value() && type_matches(*parsed, type);
}

std::string error_of(std::string_view pattern) {
  const auto parsed = parse_type_pattern(pattern);
  return parsed.has_value() ? "" : parsed.error().detail;
}

TEST(TypePattern, WithoutWildcardsIsOneType) {
  EXPECT_TRUE(matches("CREATE", "CREATE"));
  EXPECT_TRUE(matches("order.created", "order.created"));
  EXPECT_FALSE(matches("order.created", "order.Created"));
  EXPECT_FALSE(matches("order", "order.created"));
  EXPECT_FALSE(matches("order.created", "order"));
  EXPECT_FALSE(matches("order.created", "order.created.late"));
}

TEST(TypePattern, AStarIsOneWord) {
  EXPECT_TRUE(matches("order.*", "order.created"));
  EXPECT_FALSE(matches("order.*", "order"));
  EXPECT_FALSE(matches("order.*", "order.item.added"));
  EXPECT_TRUE(matches("*.created", "order.created"));
  EXPECT_TRUE(matches("a.*.c.*", "a.b.c.d"));
  EXPECT_FALSE(matches("a.*.c.*", "a.b.x.d"));
}

TEST(TypePattern, TwoStarsAreOneWordOrMoreAtTheEnd) {
  EXPECT_TRUE(matches("order.**", "order.created"));
  EXPECT_TRUE(matches("order.**", "order.item.added"));
  EXPECT_FALSE(matches("order.**", "order"));
  EXPECT_TRUE(matches("*.item.**", "order.item.added.twice"));
}

TEST(TypePattern, ALoneStarOrNothingIsEveryType) {
  for (const std::string_view pattern : {"", "*", "**"}) {
    EXPECT_TRUE(matches(pattern, "CREATE")) << pattern;
    EXPECT_TRUE(matches(pattern, "a.b.c")) << pattern;
    EXPECT_EQ(*parse_type_pattern(pattern), kEveryType);
  }
}

TEST(TypePattern, WhatPostriderTellsOfItselfMustBeAskedForByName) {
  for (const char* pattern : {"**", "*.endpoint.disabled", "*.**"}) {
    EXPECT_FALSE(type_matches(pattern, "postrider.endpoint.disabled")) << pattern;
  }
  for (const char* pattern : {"postrider.**", "postrider.endpoint.*"}) {
    EXPECT_TRUE(type_matches(pattern, "postrider.endpoint.disabled")) << pattern;
  }
}

TEST(TypePattern, RefusesWhatIsNoPattern) {
  EXPECT_THAT(error_of("order.cre*"), HasSubstr("a * within a word"));
  EXPECT_THAT(error_of("**.created"), HasSubstr("a * within a word"));
  EXPECT_THAT(error_of("a..b"), HasSubstr("empty word"));
  EXPECT_THAT(error_of(".a"), HasSubstr("empty word"));
  EXPECT_THAT(error_of("a."), HasSubstr("empty word"));
  EXPECT_THAT(error_of("a b"), HasSubstr("no spaces"));
  EXPECT_THAT(error_of(std::string(257, 'a')), HasSubstr("1 to 256 characters"));
  EXPECT_THAT(error_of("1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16.17"), HasSubstr("16 words"));
  EXPECT_EQ(error_of("1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16"), "");
}

TEST(EventType, HasNoWildcardsAndIsNeverEmpty) {
  EXPECT_EQ(*parse_event_type("com.example.order-created"), "com.example.order-created");
  EXPECT_FALSE(parse_event_type("").has_value());
  EXPECT_FALSE(parse_event_type("order.*").has_value());
  EXPECT_FALSE(parse_event_type("order.\n").has_value());
}

}  // namespace
}  // namespace match
