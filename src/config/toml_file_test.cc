#include "config/toml_file.h"

#include <gtest/gtest.h>

namespace config {
namespace {

TEST(TomlFile, NamesAreDottedAndValuesAreText) {
  const TomlFile file = read_toml(
      "listen = \"127.0.0.1:80\"\n"
      "[retry]\n"
      "unit = \"60s\"\n"
      "max_retries = 8\n"
      "delays = [\"1m\", \"2m\"]\n"
      "[delivery]\n"
      "allow_link_local = true\n"
      "ports = [80, 443]\n");
  ASSERT_TRUE(file.problems.empty());
  std::string all;
  for (const TomlEntry& entry : file.entries) {
    all += std::to_string(entry.line) + " " + entry.name + "=" + entry.text + "\n";
  }
  EXPECT_EQ(all,
            "1 listen=127.0.0.1:80\n"
            "3 retry.unit=60s\n"
            "4 retry.max_retries=8\n"
            "5 retry.delays=1m,2m\n"
            "7 delivery.allow_link_local=true\n"
            "8 delivery.ports=80,443\n");
}

TEST(TomlFile, DottedKeysAndTablesAreTheSame) {
  const TomlFile file = read_toml("retry.unit = \"60s\"\n");
  ASSERT_EQ(file.entries.size(), 1U);
  EXPECT_EQ(file.entries[0].name, "retry.unit");
}

TEST(TomlFile, WhatIsNotTomlHasALine) {
  const TomlFile file = read_toml("listen = \"x\"\n\n[retry\nunit = 1\n");
  ASSERT_EQ(file.problems.size(), 1U);
  EXPECT_EQ(file.problems[0].line, 3U);
  EXPECT_TRUE(file.problems[0].what.starts_with("is not TOML: ")) << file.problems[0].what;
}

TEST(TomlFile, ValuesOfOtherKindsAreRefusedByName) {
  const TomlFile file = read_toml("a = 1.5\nb = 2026-11-16\nc = [[1]]\nd = 2\n");
  ASSERT_EQ(file.problems.size(), 3U);
  EXPECT_TRUE(file.problems[0].what.starts_with("a: write a text in quotes"));
  EXPECT_EQ(file.entries.size(), 1U);
}

}  // namespace
}  // namespace config
