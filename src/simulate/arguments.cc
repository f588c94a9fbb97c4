#include "simulate/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <string>

namespace simulate {
namespace {

using base::ErrorCode;

// CLI11 finds out which words belong to which option; what they mean is the table's affair.
struct Words {
  const OptionRow* row;
  bool is_given = false;
  std::vector<std::string> values;
};

void declare(CLI::App& app, Words& words) {
  const std::string name(words.row->name);
  if (words.row->value.empty()) {
    app.add_flag(name, words.is_given);
    return;
  }
  // Without the extra size CLI11 would let one option swallow several words.
  app.add_option(name, words.values)
      ->type_size(1)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

std::string describe_unknown(const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  if (!name.starts_with('-')) {
    return fmt::format("'{}' belongs to no option; see `postrider simulate --help`", word);
  }
  const std::string_view nearest = nearest_option(name);
  return nearest.empty() ? fmt::format("{} is not an option; see `postrider simulate --help`", name)
                         : fmt::format("{} is not an option; did you mean {}?", name, nearest);
}

base::Result<bool> read(const Words& words, Request& request) {
  const OptionRow& row = *words.row;
  if (row.value.empty()) {
    return words.is_given ? set_option(row, "", request) : true;
  }
  if (words.values.size() > 1 && !row.repeats) {
    return base::fail(ErrorCode::kInvalid,
                      fmt::format("{}: given {} times; give it once. Example: {} {}", row.name,
                                  words.values.size(), row.name, row.example));
  }
  for (const std::string& value : words.values) {
    TRY([[maybe_unused]] const bool ok, set_option(row, value, request));
  }
  return true;
}

// Says which option a message of CLI11 is about: a value is missing, or a switch was given one.
std::string describe_refusal(const std::string& message, const std::deque<Words>& all) {
  const OptionRow* row = nullptr;
  for (const Words& words : all) {
    const bool is_longer = row == nullptr || words.row->name.size() > row->name.size();
    if (is_longer && message.find(words.row->name) != std::string::npos) {
      row = words.row;
    }
  }
  if (row == nullptr) {
    return message;
  }
  return row->value.empty() ? fmt::format("{}: takes no value. Example: {}", row->name, row->name)
                            : fmt::format("{}: its value is missing. Example: {} {}", row->name,
                                          row->name, row->example);
}

base::Result<bool> split(CLI::App& app, std::vector<std::string> arguments,
                         const std::deque<Words>& all) {
  try {
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    return base::fail(ErrorCode::kInvalid, describe_refusal(error.what(), all));
  }
  return true;
}

}  // namespace

base::Result<Request> parse_arguments(std::span<char* const> arguments) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::deque<Words> all;  // CLI11 keeps their addresses
  for (const OptionRow& row : option_rows()) {
    all.push_back({.row = &row, .is_given = false, .values = {}});
    declare(app, all.back());
  }
  TRY([[maybe_unused]] const bool is_split,
      split(app, std::vector<std::string>(arguments.begin(), arguments.end()), all));
  if (const std::vector<std::string> unknown = app.remaining(); !unknown.empty()) {
    return base::fail(ErrorCode::kInvalid, describe_unknown(unknown.front()));
  }
  Request request;
  for (const Words& words : all) {
    TRY([[maybe_unused]] const bool ok, read(words, request));
  }
  std::sort(request.scenario.enable_at.begin(), request.scenario.enable_at.end());
  TRY([[maybe_unused]] const bool is_sound, check(request.scenario));
  return request;
}

}  // namespace simulate
