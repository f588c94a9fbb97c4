#include "client/json_text.h"

#include <gtest/gtest.h>

namespace client {
namespace {

TEST(JsonText, OneLineHasNoBlanksOutsideStrings) {
  EXPECT_EQ(
      laid_out("{ \"a b\" : [1, 2.50,\n null ], \"c\\\" , \" : { } }\n", JsonLayout::kOneLine),
      R"({"a b":[1,2.50,null],"c\" , ":{}})");
}

TEST(JsonText, IndentedHasALineForEachValue) {
  EXPECT_EQ(laid_out(R"({"a":[1,{"b":[]}],"c":{}})", JsonLayout::kIndented),
            "{\n"
            "  \"a\": [\n"
            "    1,\n"
            "    {\n"
            "      \"b\": []\n"
            "    }\n"
            "  ],\n"
            "  \"c\": {}\n"
            "}");
}

TEST(JsonText, IndentShiftsAllLinesButTheFirst) {
  EXPECT_EQ(laid_out("[1]", JsonLayout::kIndented, 4), "[\n      1\n    ]");
}

TEST(JsonText, PlainValuesStayAsTheyAre) {
  for (const char* text : {"1e400", "\"\\u00e9\"", "true"}) {
    EXPECT_EQ(laid_out(text, JsonLayout::kIndented), text);
    EXPECT_EQ(laid_out(text, JsonLayout::kOneLine), text);
  }
}

}  // namespace
}  // namespace client
