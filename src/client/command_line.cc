#include "client/command_line.h"

#include <fmt/format.h>

#include <array>

#include "base/nearest_name.h"

namespace client {
namespace {

constexpr std::array kEverywhere = {
    OptionRow{.name = "--json", .value = "", .help = "Print JSON, one object on each line."},
    OptionRow{.name = "--help", .value = "", .help = "Print this text."},
};

std::vector<const OptionRow*> options_of(const CommandRow& row) {
  std::vector<const OptionRow*> all;
  for (const OptionRow& option : row.options) {
    all.push_back(&option);
  }
  for (const OptionRow& option : kEverywhere) {
    all.push_back(&option);
  }
  return all;
}

std::unexpected<base::Error> refuse(std::string detail) {
  return base::fail(base::ErrorCode::kInvalid, std::move(detail));
}

base::Result<const OptionRow*> find_option(const CommandRow& row, std::string_view name) {
  std::vector<std::string_view> known;
  for (const OptionRow* const option : options_of(row)) {
    if (option->name == name || (name == "-h" && option->name == "--help")) {
      return option;
    }
    known.push_back(option->name);
  }
  if (!name.starts_with('-')) {
    return refuse(
        fmt::format("'{}' belongs to no option; see `postrider {} --help`", name, row.name));
  }
  const std::string_view nearest = base::nearest_name(name, known);
  return refuse(nearest.empty()
                    ? fmt::format("{} is not an option; see `postrider {} --help`", name, row.name)
                    : fmt::format("{} is not an option; did you mean {}?", name, nearest));
}

}  // namespace

std::optional<std::string> Words::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::nullopt : std::optional(found->second.front());
}

std::vector<std::string_view> Words::all(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end()
             ? std::vector<std::string_view>()
             : std::vector<std::string_view>(found->second.begin(), found->second.end());
}

base::Result<Words> parse(const CommandRow& row, std::span<char* const> arguments) {
  Words words;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    const size_t equals = word.starts_with('-') ? word.find('=') : std::string_view::npos;
    TRY(const OptionRow* const option, find_option(row, word.substr(0, equals)));
    std::vector<std::string>& values = words.values_[option->name];
    if (!values.empty() && !option->repeats) {
      return refuse(fmt::format("{} is given more than once; give it once", option->name));
    }
    const bool has_value = equals != std::string_view::npos;
    if (option->value.empty() && has_value) {
      return refuse(fmt::format("{} takes no value", option->name));
    }
    if (has_value || option->value.empty()) {
      values.emplace_back(has_value ? word.substr(equals + 1) : "");
    } else if (i + 1 < arguments.size()) {
      values.emplace_back(arguments[++i]);
    } else {
      return refuse(
          fmt::format("{} needs a value: {} {}", option->name, option->name, option->value));
    }
  }
  return words;
}

std::string help_text(const CommandRow& row) {
  std::string text =
      fmt::format("Usage: postrider {} [options]\n\n{}\n\nOptions:\n", row.name, row.purpose);
  for (const OptionRow* const option : options_of(row)) {
    text +=
        fmt::format("  {:<22} {}", fmt::format("{} {}", option->name, option->value), option->help);
    text += option->fallback.empty() ? "\n" : fmt::format(" [{}]\n", option->fallback);
  }
  return fmt::format("{}\n{}\nDetails: docs/commands.md.\n", text, row.remarks);
}

}  // namespace client
