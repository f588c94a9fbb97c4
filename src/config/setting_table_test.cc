#include "config/setting_table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "model/outcome_words.h"
#include "observe/metrics.h"

namespace config {
namespace {

TEST(SettingTable, EveryExampleIsGoodInput) {
  for (const SettingRow& row : setting_rows()) {
    Settings settings;
    const auto done = set_value(row, row.example, settings);
    EXPECT_TRUE(done.has_value()) << row.name << " " << (done ? "" : done.error().detail);
    EXPECT_EQ(value_text(row, settings).empty(), false) << row.name;
  }
}

// What is shown can be given back, and nothing is shown as empty without words for it.
TEST(SettingTable, EveryShownDefaultReadsBackUnchanged) {
  for (const SettingRow& row : setting_rows()) {
    const std::string shown = value_text(row, Settings{});
    if (shown.empty()) {
      EXPECT_FALSE(row.unset.empty()) << row.name;
      continue;
    }
    Settings settings;
    const auto done = set_value(row, shown, settings);
    EXPECT_TRUE(done.has_value()) << row.name << " " << shown;
    EXPECT_EQ(value_text(row, settings), shown) << row.name;
  }
}

TEST(SettingTable, NoTwoSettingsShareAFlagOrAVariable) {
  std::set<std::string> names;
  for (const SettingRow& row : setting_rows()) {
    EXPECT_TRUE(names.insert(flag_of(row)).second) << row.name;
    EXPECT_TRUE(names.insert(variable_of(row)).second) << row.name;
    EXPECT_EQ(find_row(row.name), &row);
  }
  EXPECT_EQ(variable_of(*find_row("retry.retry_after_max")), "POSTRIDER_RETRY_RETRY_AFTER_MAX");
}

// Each row has a field of its own: setting one changes no other.
TEST(SettingTable, SettingOneChangesNoOther) {
  for (const SettingRow& row : setting_rows()) {
    Settings settings;
    ASSERT_TRUE(set_value(row, row.example, settings).has_value()) << row.name;
    for (const SettingRow& other : setting_rows()) {
      if (&other != &row) {
        EXPECT_EQ(value_text(other, settings), value_text(other, Settings{}))
            << row.name << " and " << other.name;
      }
    }
  }
}

TEST(SettingTable, CopyingTakesOneSettingOver) {
  for (const SettingRow& row : setting_rows()) {
    Settings from;
    ASSERT_TRUE(set_value(row, row.example, from).has_value());
    Settings to;
    copy_value(row, from, to);
    EXPECT_EQ(value_text(row, to), value_text(row, from)) << row.name;
    copy_value(row, Settings{}, to);
    EXPECT_EQ(value_text(row, to), value_text(row, Settings{})) << row.name;
  }
}

std::string refusal(std::string_view name, std::string_view text) {
  Settings settings;
  const auto done = set_value(*find_row(name), text, settings);
  return done.has_value() ? "accepted" : done.error().detail;
}

TEST(SettingValues, AddressesOfListeners) {
  EXPECT_EQ(refusal("listen", "0.0.0.0:0"), "accepted");
  EXPECT_EQ(refusal("listen", "[::1]:8080"), "accepted");
  for (const char* text :
       {"8080", ":8080", "localhost:8080", "::1:8080", "[127.0.0.1]:80", "[::1"}) {
    EXPECT_EQ(refusal("listen", text),
              "is not an address and a port, such as 127.0.0.1:8080 or [::1]:8080")
        << text;
  }
  EXPECT_EQ(refusal("listen", "127.0.0.1:65536"), "has a port that must be between 0 and 65535");
}

TEST(SettingValues, PortsAreAListOrAny) {
  Settings settings;
  const SettingRow& row = *find_row("delivery.ports");
  ASSERT_TRUE(set_value(row, "any", settings).has_value());
  EXPECT_TRUE(settings.client.guard.any_port);
  ASSERT_TRUE(set_value(row, "443, 8443", settings).has_value());
  EXPECT_FALSE(settings.client.guard.any_port);
  EXPECT_EQ(settings.client.guard.ports, (std::vector<uint16_t>{443, 8443}));
  EXPECT_EQ(refusal("delivery.ports", "80,any"), "has any among others; write it alone");
  EXPECT_EQ(refusal("delivery.ports", "0"), "has a port that must be between 1 and 65535");
  EXPECT_EQ(refusal("delivery.ports", ""), "is empty");
}

TEST(SettingValues, BlocksThatOpenMoreThanIsSeenAreRefused) {
  EXPECT_EQ(refusal("delivery.allow_addresses", "10.0.0.0/8,fd00::/8"), "accepted");
  EXPECT_TRUE(refusal("delivery.allow_addresses", "10.0.0.1/8")
                  .starts_with("has an entry that is no block of addresses: "));
}

TEST(SettingValues, WordsAreFromAList) {
  EXPECT_EQ(refusal("log.level", "verbose"), "is not one of: error, warn, info, debug");
  EXPECT_EQ(refusal("dev", "yes"), "is not one of: true, false");
}

TEST(SettingValues, RetentionKeepsWhatProducersMayRepeat) {
  EXPECT_EQ(refusal("retention.age", "23h"), "must be between 24h and 87840h");
}

// The table of metrics cannot see the model; this is where both are seen.
TEST(MetricLabels, OutcomesHaveTheNamesOfTheModel) {
  const auto rows = observe::metric_rows();
  const auto& row = rows[static_cast<size_t>(observe::Metric::kAttemptOutcomes)];
  for (size_t i = 0; i < row.label_values.size(); ++i) {
    EXPECT_EQ(row.label_values[i], model::name_of(static_cast<model::OutcomeKind>(i)));
  }
  EXPECT_EQ(row.label_values.size(), static_cast<size_t>(model::OutcomeKind::kNotStarted) + 1);
}

}  // namespace
}  // namespace config
