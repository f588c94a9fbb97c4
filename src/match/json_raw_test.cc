#include "match/json_raw.h"

#include <gtest/gtest.h>

#include <optional>
#include <string_view>

#include "match/json.h"

namespace match {
namespace {

std::optional<std::string_view> payload_of(std::string_view text) {
  JsonParser parser;
  EXPECT_TRUE(parser.parse(text).has_value()) << text;
  return parser.raw_member(text, "payload");
}

TEST(JsonRawTest, AValueIsHandedOverAsItWasWritten) {
  EXPECT_EQ(payload_of(R"({"payload":{"a" : [1, 2.50]}})"), R"({"a" : [1, 2.50]})");
  EXPECT_EQ(payload_of(R"( { "type" : "X" , "payload" : 1e2 } )"), "1e2");
  EXPECT_EQ(payload_of(R"({"payload":"}\"]\\","x":{}})"), R"("}\"]\\")");
  EXPECT_EQ(payload_of("{\"payload\":null}"), "null");
  EXPECT_EQ(payload_of("{\"payload\"\n:\t[]\r\n}"), "[]");
  EXPECT_EQ(payload_of(R"({"payload":[{"b":[[]]},{}],"z":1})"), R"([{"b":[[]]},{}])");
}

TEST(JsonRawTest, OnlyMembersOfTheOutermostObjectCount) {
  EXPECT_EQ(payload_of(R"({"x":{"payload":1}})"), std::nullopt);
  EXPECT_EQ(payload_of(R"({"x":"payload"})"), std::nullopt);
  EXPECT_EQ(payload_of(R"({"x":{"payload":1},"payload":2})"), "2");
}

TEST(JsonRawTest, WhatIsNoObjectHasNone) {
  EXPECT_EQ(payload_of("[]"), std::nullopt);
  EXPECT_EQ(payload_of("{}"), std::nullopt);
  EXPECT_EQ(payload_of("\"payload\""), std::nullopt);
}

TEST(JsonRawTest, KeysThatBeginOrEndLikeItAreOthers) {
  EXPECT_EQ(payload_of(R"({"payloads":1,"xpayload":2,"":3,"pay":4})"), std::nullopt);
  EXPECT_EQ(payload_of(R"({"payload\"":1,"payload":2})"), "2");
}

TEST(JsonRawTest, AnIntegerOfAnyLengthIsHandedOverAsItWasWritten) {
  EXPECT_EQ(payload_of(R"({"x":[123456789012345678901234567890],"payload":{"n":)"
                       R"(-98765432109876543210987}, "z": 1})"),
            R"({"n":-98765432109876543210987})");
  EXPECT_EQ(payload_of(R"({"payload": 123456789012345678901234567890 })"),
            "123456789012345678901234567890");
}

TEST(JsonRawTest, AKeySpeltWithEscapesIsNotFound) {
  EXPECT_EQ(payload_of(R"({"pay\u006coad":1})"), std::nullopt);
}

}  // namespace
}  // namespace match
