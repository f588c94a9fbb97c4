#include "api/json_layout.h"

#include <gtest/gtest.h>

#include <string>

namespace api {
namespace {

std::string indented(const std::string& text) {
  match::JsonParser parser;
  return indented_json(parser.parse(text).value());
}

std::string compact(const std::string& text) {
  match::JsonParser parser;
  return compact_json(parser.parse(text).value());
}

TEST(JsonLayoutTest, WhatIsShortStaysOnOneLine) {
  EXPECT_EQ(indented(R"({"a":[1,-2],"b":{}, "c":[], "d":"\"x\""})"),
            R"({"a": [1, -2], "b": {}, "c": [], "d": "\"x\""})");
}

TEST(JsonLayoutTest, WhatIsLongHasALineForEachMember) {
  const std::string word(60, 'x');
  EXPECT_EQ(
      indented("{\"first\":\"" + word + "\",\"second\":{\"truth\":true,\"none\":null}}"),
      "{\n  \"first\": \"" + word + "\",\n  \"second\": {\"truth\": true, \"none\": null}\n}");
}

TEST(JsonLayoutTest, CompactIsOneLineHoweverLong) {
  const std::string word(200, 'x');
  EXPECT_EQ(compact("[\"" + word + "\", \"y\"]"), "[\"" + word + "\", \"y\"]");
}

}  // namespace
}  // namespace api
