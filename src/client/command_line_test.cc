#include "client/command_line.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace client {
namespace {

constexpr std::array kOptions = {
    OptionRow{.name = "--port", .value = "PORT", .help = "A port.", .fallback = "9000"},
    OptionRow{.name = "--secret", .value = "SECRET", .help = "A secret.", .repeats = true},
    OptionRow{.name = "--loud", .value = "", .help = "A switch."},
};
constexpr CommandRow kRow = {
    .name = "try", .purpose = "Tries.", .options = kOptions, .remarks = "Remarks."};

base::Result<Words> parsed(std::vector<std::string> words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size());
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  return parse(kRow, arguments);
}

std::string refusal(std::vector<std::string> words) {
  const auto result = parsed(std::move(words));
  return result.has_value() ? "accepted" : result.error().detail;
}

TEST(CommandLine, ValuesFollowAsAWordOrAfterAnEqualsSign) {
  EXPECT_EQ(parsed({"--port", "1"})->find("--port"), "1");
  EXPECT_EQ(parsed({"--port=1=2"})->find("--port"), "1=2");
  EXPECT_EQ(parsed({"--port", "--loud"})->find("--port"), "--loud");
  EXPECT_EQ(parsed({})->find("--port"), std::nullopt);
}

TEST(CommandLine, SwitchesAndRepeatedOptions) {
  const auto words = parsed({"--secret", "a", "--loud", "--secret=b", "--json"});
  ASSERT_TRUE(words.has_value());
  EXPECT_TRUE(words->has("--loud"));
  EXPECT_TRUE(words->has("--json"));
  EXPECT_FALSE(words->has("--help"));
  EXPECT_EQ(words->all("--secret"), (std::vector<std::string_view>{"a", "b"}));
}

TEST(CommandLine, WhatIsWrongIsNamedWithAWayOut) {
  EXPECT_EQ(refusal({"--prot", "1"}), "--prot is not an option; did you mean --port?");
  EXPECT_EQ(refusal({"--xyzzy-plugh"}),
            "--xyzzy-plugh is not an option; see `postrider try --help`");
  EXPECT_EQ(refusal({"stray"}), "'stray' belongs to no option; see `postrider try --help`");
  EXPECT_EQ(refusal({"--port"}), "--port needs a value: --port PORT");
  EXPECT_EQ(refusal({"--port=1", "--port=2"}), "--port is given more than once; give it once");
  EXPECT_EQ(refusal({"--loud=yes"}), "--loud takes no value");
}

TEST(CommandLine, HelpNamesEveryOption) {
  const std::string text = help_text(kRow);
  for (const char* name : {"--port PORT", "--secret SECRET", "--loud", "--json", "--help"}) {
    EXPECT_NE(text.find(name), std::string::npos) << name;
  }
  EXPECT_NE(text.find("A port. [9000]"), std::string::npos);
}

}  // namespace
}  // namespace client
