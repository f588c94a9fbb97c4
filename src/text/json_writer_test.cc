#include "text/json_writer.h"

#include <gtest/gtest.h>

#include <limits>

namespace text {
namespace {

std::string quoted(std::string_view value) {
  std::string out;
  append_json_string(out, value);
  return out;
}

TEST(JsonWriterTest, PutsCommasWhereTheyBelong) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("a", 1).key("b").begin_array().value("x").value(true).null();
  json.begin_object().end_object().end_array().field("c", std::optional<int>()).end_object();
  EXPECT_EQ(out, R"({"a":1,"b":["x",true,null,{}],"c":null})");
}

TEST(JsonWriterTest, KeepsNumbersExact) {
  std::string out;
  JsonWriter json(out);
  json.begin_array().value(std::numeric_limits<int64_t>::min());
  json.value(std::numeric_limits<uint64_t>::max()).value(0.25).end_array();
  EXPECT_EQ(out, "[-9223372036854775808,18446744073709551615,0.25]");
}

TEST(JsonWriterTest, WhatIsNoNumberIsNull) {
  std::string out;
  JsonWriter(out).value(std::numeric_limits<double>::infinity());
  EXPECT_EQ(out, "null");
}

TEST(JsonWriterTest, EscapesWhatWouldEndAString) {
  EXPECT_EQ(quoted("a\"b\\c\n\r\t"), R"("a\"b\\c\n\r\t")");
  EXPECT_EQ(quoted(std::string_view("\0\x1f\x7f", 3)), R"("\u0000\u001f\u007f")");
}

TEST(JsonWriterTest, KeepsUnicodeAndReplacesWhatIsNone) {
  EXPECT_EQ(quoted("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x90\x8E"),
            "\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x90\x8E\"");
  EXPECT_EQ(quoted("a\xFF"), "\"a\xEF\xBF\xBD\"");
  EXPECT_EQ(quoted("\xC0\xAF"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");                  // overlong
  EXPECT_EQ(quoted("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");  // surrogate
  EXPECT_EQ(quoted("\xE2\x82"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");                  // cut short
}

}  // namespace
}  // namespace text
