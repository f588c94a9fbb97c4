#include "simulate/option_table.h"

#include <gtest/gtest.h>

#include "simulate/arguments.h"

namespace simulate {
namespace {

TEST(OptionTable, EveryExampleIsGoodInput) {
  for (const OptionRow& row : option_rows()) {
    Request request;
    const auto done = set_option(row, row.example, request);
    EXPECT_TRUE(done.has_value()) << (done ? "" : done.error().detail);
    EXPECT_FALSE(value_text(row, request).empty()) << row.name;
  }
}

// What is shown as a default or in `settings` can be given back.
TEST(OptionTable, EveryShownDefaultReadsBackUnchanged) {
  for (const OptionRow& row : option_rows()) {
    Request defaults;
    const std::string shown = value_text(row, defaults);
    if (row.value.empty() || shown.empty()) {
      EXPECT_TRUE(row.value.empty() || !row.unset.empty()) << row.name;
      continue;
    }
    Request request;
    EXPECT_TRUE(set_option(row, shown, request).has_value()) << row.name << " " << shown;
    EXPECT_EQ(value_text(row, request), shown);
  }
}

TEST(OptionTable, ErrorsNameTheOptionTheTextAndAnExample) {
  for (const OptionRow& row : option_rows()) {
    Request request;
    if (row.value.empty() || row.value == "FILE") {
      continue;
    }
    const auto done = set_option(row, "nonsense", request);
    ASSERT_FALSE(done.has_value()) << row.name;
    EXPECT_TRUE(done.error().detail.starts_with(std::string(row.name) + ": 'nonsense' "));
    EXPECT_NE(done.error().detail.find(std::string("Example: ") + std::string(row.name)),
              std::string::npos);
  }
}

TEST(OptionTable, FindsTheNearestName) {
  EXPECT_EQ(nearest_option("--dwn"), "--down");
  EXPECT_EQ(nearest_option("--dwon"), "--down");
  EXPECT_EQ(nearest_option("--endpoint"), "--endpoints");
  EXPECT_EQ(nearest_option("--xyzzy"), "");
}

}  // namespace
}  // namespace simulate
