#include "config/pages.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/command.h"
#include "config/setting_table.h"
#include "text/json_writer.h"

namespace config {
namespace {

constexpr std::string_view kMasked = "********";

constexpr std::string_view kUsage =
    "Usage: postrider config [options] [settings]\n"
    "\n"
    "Prints the configuration that `postrider serve` would run with, and where each value comes\n"
    "from: flags, then the environment, then the file, then defaults.\n"
    "\n"
    "Options:\n"
    "  --json       Print one JSON object instead of a table.\n"
    "  --markdown   Print the page docs/configuration.md.\n"
    "  --help       Print this text.\n";

constexpr std::string_view kPageStart =
    "# Configuration\n"
    "\n"
    "<!-- Written by `postrider config --markdown`; a test says when it is stale. -->\n"
    "\n"
    "`postrider serve` needs no configuration. Every setting can be given in three ways, here\n"
    "`retry.unit`:\n"
    "\n"
    "| Where | How |\n"
    "|---|---|\n"
    "| flag | `--retry.unit 60s` or `--retry.unit=60s` |\n"
    "| environment | `POSTRIDER_RETRY_UNIT=60s` |\n"
    "| file | `unit = \"60s\"` below `[retry]` |\n"
    "\n"
    "Flags win over the environment, the environment over the file, the file over the default. An\n"
    "empty variable counts as not set. The file is TOML: `--config FILE` names it, otherwise it "
    "is\n"
    "`postrider.toml` in the data directory, if that is there.\n"
    "\n"
    "`postrider config` takes the same flags, prints what would be in force with the source of\n"
    "every value, and shows no secrets. Whatever is wrong is reported at once, unknown names too.\n"
    "\n"
    "On SIGHUP the server reads the file again. Settings that are marked *reload* change at once;\n"
    "the log names those that wait for a restart.\n"
    "\n"
    "TIME is a whole number with a unit: 250ms, 20s, 10m, 6h, 2d, or several: 1h30m. SIZE is a\n"
    "whole number of bytes, or one with KiB, MiB, GiB or TiB. Lists have commas between their\n"
    "values; in the file they may be arrays.\n";

std::string default_text(const SettingRow& row) {
  const std::string text = value_text(row, Settings{});
  return text.empty() ? std::string(row.unset) : text;
}

std::string shown_value(const SettingRow& row, const Settings& settings) {
  const std::string text = value_text(row, settings);
  return row.is_secret && !text.empty() ? std::string(kMasked) : text;
}

std::string source_text(const Origin& origin) {
  switch (origin.source) {
    case Source::kDefault:
      return "default";
    case Source::kDev:
    case Source::kFlag:
    case Source::kEnvironment:
    case Source::kFile:
      break;
  }
  return origin.place;
}

std::string_view source_word(Source source) {
  switch (source) {
    case Source::kDefault:
      return "default";
    case Source::kDev:
      return "dev";
    case Source::kFile:
      return "file";
    case Source::kEnvironment:
      return "environment";
    case Source::kFlag:
      return "flag";
  }
  return "";
}

size_t longest_name() {
  size_t longest = 0;
  for (const SettingRow& row : setting_rows()) {
    longest = std::max(longest, row.name.size());
  }
  return longest;
}

}  // namespace

std::string settings_help() {
  std::string text;
  std::string_view group;
  for (const SettingRow& row : setting_rows()) {
    if (row.group != group) {
      group = row.group;
      text += fmt::format("\n{}:\n", group);
    }
    const std::string left = fmt::format("{} {}", flag_of(row), row.value);
    text += fmt::format("  {:<44} {}", left, row.help);
    text += is_switch(row) ? "\n" : fmt::format(" [{}]\n", default_text(row));
  }
  return text + "\nDetails: docs/configuration.md.\n";
}

std::string help_text() { return std::string(kUsage) + settings_help(); }

std::string effective_table(const Loaded& loaded) {
  const size_t width = longest_name();
  std::string text;
  for (size_t i = 0; i < setting_rows().size(); ++i) {
    const SettingRow& row = setting_rows()[i];
    std::string value = shown_value(row, loaded.settings);
    if (value.empty()) {
      value = fmt::format("({})", row.unset);
    }
    text +=
        fmt::format("{:<{}}  {:<30}  {}\n", row.name, width, value, source_text(loaded.origins[i]));
  }
  return text;
}

std::string effective_json(const Loaded& loaded) {
  std::string text;
  text::JsonWriter json(text);
  json.begin_object();
  json.key("file");
  loaded.file.empty() ? json.null() : json.value(loaded.file);
  json.key("settings").begin_array();
  for (size_t i = 0; i < setting_rows().size(); ++i) {
    const SettingRow& row = setting_rows()[i];
    const std::string value = shown_value(row, loaded.settings);
    const Origin& origin = loaded.origins[i];
    json.begin_object().field("name", row.name).key("value");
    value.empty() ? json.null() : json.value(value);
    json.field("source", source_word(origin.source)).key("place");
    origin.place.empty() ? json.null() : json.value(origin.place);
    json.field("reloads", row.reloads).end_object();
  }
  json.end_array().end_object();
  return text + "\n";
}

std::string markdown_page() {
  std::string text(kPageStart);
  std::string_view group;
  for (const SettingRow& row : setting_rows()) {
    if (row.group != group) {
      group = row.group;
      text += fmt::format("\n## {}\n\n| Setting | Default | Meaning |\n|---|---|---|\n", group);
    }
    const std::string left = is_switch(row) ? fmt::format("`{}`", row.name)
                                            : fmt::format("`{}` {}", row.name, row.value);
    text += fmt::format("| {} | {} | {}{} |\n", left, default_text(row), row.help,
                        row.reloads ? " *reload*" : "");
  }
  return text;
}

}  // namespace config
