#include "match/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "match/json_scan.h"

namespace match {
namespace {

using testing::HasSubstr;

std::string error_of(std::string_view text) {
  JsonParser parser;
  const auto value = parser.parse(text);
  return value.has_value() ? "" : value.error().detail;
}

std::string nested(size_t depth, const std::string& core) {
  return std::string(depth, '[') + core + std::string(depth, ']');
}

TEST(Json, GivesEachKindOfValue) {
  JsonParser parser;
  const auto root = parser.parse(
      R"({"null":null,"yes":true,"int":-5,"big":18446744073709551615,"dec":0.25,"text":"a\u00e9",)"
      R"("list":[1,2],"object":{"a":1}})");
  ASSERT_TRUE(root.has_value());
  EXPECT_EQ(root->find("null").kind(), JsonKind::kNull);
  EXPECT_TRUE(root->find("yes").as_bool());
  EXPECT_EQ(root->find("int").as_integer(), -5);
  EXPECT_EQ(root->find("big").kind(), JsonKind::kUnsigned);
  EXPECT_EQ(root->find("big").as_unsigned(), 18446744073709551615ULL);
  EXPECT_EQ(root->find("dec").as_double(), 0.25);
  EXPECT_EQ(root->find("text").as_string(), "a\xc3\xa9");
  EXPECT_EQ(root->find("list").size(), 2U);
  EXPECT_EQ(root->find("object").find("a").as_integer(), 1);
  EXPECT_EQ(root->find("none").kind(), JsonKind::kMissing);
  EXPECT_EQ(root->find("text").find("x").kind(), JsonKind::kMissing);
}

TEST(Json, RefusesNothingAtAll) {
  EXPECT_NE(error_of({}), "");
  EXPECT_NE(error_of(" "), "");
}

TEST(Json, WalksElementsAndMembersInOrder) {
  JsonParser parser;
  const auto root = parser.parse(R"({"b":[3,1],"a":[]})");
  ASSERT_TRUE(root.has_value());
  std::string seen;
  for (const JsonMember member : root->members()) {
    seen += member.key;
    for (const JsonValue element : member.value.elements()) {
      seen += std::to_string(element.as_integer());
    }
  }
  EXPECT_EQ(seen, "b31a");
  for ([[maybe_unused]] const JsonMember member : root->find("b").members()) {
    FAIL() << "a list has no members";
  }
}

TEST(Json, AnErrorNamesTheByteAndTheReason) {
  EXPECT_EQ(error_of(R"({"a":1,})"), "at byte 7: expected a key in double quotes");
  EXPECT_EQ(error_of(R"([1 2])"), "at byte 3: expected ',' or ']' after an element of a list");
  EXPECT_EQ(error_of(R"({"a" 1})"), "at byte 5: expected ':' after a key");
  EXPECT_EQ(error_of(""), "at byte 0: there is no JSON here");
  EXPECT_EQ(error_of("{} x"), "at byte 3: something follows the end of the JSON");
  EXPECT_EQ(error_of("[\"abc"), "at byte 1: this string is never closed");
  EXPECT_EQ(error_of("[01]"), "at byte 1: a number may not begin with 0 and more digits");
  EXPECT_THAT(error_of("[nul]"), HasSubstr("at byte 1: expected a value"));
  EXPECT_THAT(error_of("[\"a\tb\"]"), HasSubstr("at byte 3: a control character"));
  EXPECT_THAT(error_of(R"(["\x"])"), HasSubstr("at byte 2: there is no such escape"));
}

TEST(Json, RefusesWhatIsNotUnicode) {
  EXPECT_EQ(error_of("\"a\x80\""), "at byte 2: these bytes are not UTF-8");
  EXPECT_EQ(error_of("\"\xc0\xaf\""), "at byte 1: these bytes are not UTF-8");
  EXPECT_EQ(error_of("\"\xed\xa0\x80\""), "at byte 1: these bytes are not UTF-8");
  for (const std::string_view lone : {R"("\ud800")", R"("\udc00")", R"("\ud800\ud800")"}) {
    EXPECT_THAT(error_of(lone), HasSubstr("at byte 1: half of a surrogate pair")) << lone;
  }
  EXPECT_EQ(error_of(R"("\ud83d\ude00")"), "");
}

TEST(Json, RefusesAKeyThatOccursTwice) {
  EXPECT_EQ(error_of(R"({"a":1,"b":2,"a":3})"), R"(the key "a" occurs twice; keep one of them)");
  EXPECT_EQ(error_of(R"({"x":[{},{"k":{"a":1,"\u0061":3}}]})"),
            R"(in "x"[1]."k": the key "a" occurs twice; keep one of them)");
  EXPECT_EQ(error_of(R"({"a":{"a":1},"b":{"a":1}})"), "");
}

TEST(Json, FindsAKeyThatOccursTwiceAmongThousands) {
  std::string text = "{";
  for (int key = 0; key < 5000; ++key) {
    text += "\"key" + std::to_string(key) + "\":0,";
  }
  EXPECT_EQ(error_of(text + "\"other\":0}"), "");
  EXPECT_EQ(error_of(text + "\"key17\":0}"), R"(the key "key17" occurs twice; keep one of them)");
}

TEST(Json, NestsSixtyFourDeepAndNoDeeper) {
  EXPECT_EQ(error_of(nested(64, "")), "");
  EXPECT_EQ(error_of(nested(64, "1")), "");
  EXPECT_THAT(error_of(nested(65, "1")), HasSubstr("nested more than 64 deep"));
  EXPECT_THAT(error_of(nested(65, "")), HasSubstr("nested more than 64 deep"));
  EXPECT_THAT(error_of(nested(64, "{}")), HasSubstr("nested more than 64 deep"));
}

TEST(Json, KeepsIntegersBeyond64BitsAsTheNearestDouble) {
  JsonParser parser;
  const auto root = parser.parse("[18446744073709551616,-9223372036854775809,1e-400]");
  ASSERT_TRUE(root.has_value()) << root.error().detail;
  std::vector<double> values;
  for (const JsonValue element : root->elements()) {
    values.push_back(element.as_double());
  }
  EXPECT_EQ(values, (std::vector<double>{18446744073709551616.0, -9223372036854775808.0, 0.0}));
}

TEST(Json, RefusesANumberThatNoDoubleHolds) {
  const std::string reason = "this number is larger than any that can be kept (1.8e308)";
  EXPECT_EQ(error_of("[1, 1e309]"), "at byte 4: " + reason);
  EXPECT_EQ(error_of("-1e99999999999999999999"), "at byte 0: " + reason);
  EXPECT_EQ(error_of(std::string(400, '9')), "at byte 0: " + reason);
  EXPECT_EQ(error_of(std::string(400, '9') + "e-200"), "");
  EXPECT_EQ(error_of("0." + std::string(400, '0') + "1e99"), "");
}

TEST(Json, RefusesATextThatIsTooLong) {
  const std::string longest = "\"" + std::string(kJsonBytesMax - 2, 'x') + "\"";
  EXPECT_EQ(error_of(longest), "");
  EXPECT_EQ(error_of(longest + " "), "the JSON has 1048577 bytes; at most 1048576 are taken");
}

TEST(Json, OneParserReadsTextsOfAnySizeOneAfterTheOther) {
  JsonParser parser;
  for (const size_t size : {10U, 100'000U, 5U, 500'000U, 1U}) {
    const std::string text = "[\"" + std::string(size, 'y') + "\"]";
    const auto root = parser.parse(text);
    ASSERT_TRUE(root.has_value());
    EXPECT_EQ((*root->elements().begin()).as_string().size(), size);
    EXPECT_FALSE(parser.parse("[").has_value());
  }
}

}  // namespace
}  // namespace match
