// What is derived from the option table for people: the text of --help, the table of the
// documentation, and the name somebody may have meant.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

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

// How many letters must be changed, added, left out or swapped with their neighbour to make one
// word of the other.
size_t distance(std::string_view left, std::string_view right) {
  std::vector<size_t> before(right.size() + 1);
  std::vector<size_t> above(right.size() + 1);
  std::vector<size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= left.size(); ++i) {
    std::swap(before, above);
    std::swap(above, row);
    row[0] = i;
    for (size_t j = 1; j <= right.size(); ++j) {
      const size_t changed = above[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, changed});
      const bool is_swapped =
          i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
      if (is_swapped) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[right.size()];
}

}  // namespace

std::string_view nearest_option(std::string_view name) {
  std::string_view nearest;
  size_t least = 4;
  for (const OptionRow& row : option_rows()) {
    const size_t apart = distance(name, row.name);
    if (!row.hidden && apart < least && apart * 2 < row.name.size()) {
      least = apart;
      nearest = row.name;
    }
  }
  return nearest;
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
