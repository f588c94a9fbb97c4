// What is derived from the option table for people: the text of --help, the table of the
// documentation, and the name somebody may have meant.

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/nearest_name.h"
#include "simulate/option_table.h"

namespace simulate {
namespace {

constexpr std::string_view kIntroduction =
    "Usage: postrider simulate [options]\n"
    "\n"
    "Answers \"what happens if this endpoint is down for six hours at 50 events/s\": runs the\n"
    "delivery core of the server on virtual time, against a receiver that behaves as you say.\n"
    "\n"
    "  postrider simulate --rate 50/s --down 6h --from 1h --for 24h\n"
    "  postrider simulate --down always --svg dead.svg\n"
    "  postrider simulate --schedule\n";

constexpr std::string_view kRemarks =
    "\n"
    "TIME is a whole number with a unit: 250ms, 20s, 10m, 6h, 2d, or several: 1h30m.\n"
    "All times count from the first event. Details: docs/simulate.md.\n";

bool is_switch(const OptionRow& row) { return row.value.empty(); }

std::string default_text(const OptionRow& row) {
  Request defaults;
  const std::string text = value_text(row, defaults);
  return text.empty() ? std::string(row.unset) : text;
}

}  // namespace

std::string_view nearest_option(std::string_view name) {
  std::vector<std::string_view> known;
  for (const OptionRow& row : option_rows()) {
    if (!row.hidden) {
      known.push_back(row.name);
    }
  }
  return base::nearest_name(name, known);
}

std::string help_text() {
  std::string text(kIntroduction);
  std::string_view group;
  for (const OptionRow& row : option_rows()) {
    if (row.hidden) {
      continue;
    }
    if (row.group != group) {
      group = row.group;
      text += fmt::format("\n{}:\n", group);
    }
    const std::string left = fmt::format("{} {}", row.name, row.value);
    text += fmt::format("  {:<27} {}", left, row.help);
    text += is_switch(row) ? "\n" : fmt::format(" [{}]\n", default_text(row));
  }
  return text += kRemarks;
}

std::string help_markdown() {
  std::string text;
  std::string_view group;
  for (const OptionRow& row : option_rows()) {
    if (row.hidden) {
      continue;
    }
    if (row.group != group) {
      text += fmt::format("{}### {}\n\n| Option | Default | Meaning |\n|---|---|---|\n",
                          group.empty() ? "" : "\n", row.group);
      group = row.group;
    }
    const std::string left =
        is_switch(row) ? std::string(row.name) : fmt::format("{} {}", row.name, row.value);
    text += fmt::format("| `{}` | {} | {} |\n", left, is_switch(row) ? "" : default_text(row),
                        row.help);
  }
  return text;
}

}  // namespace simulate
