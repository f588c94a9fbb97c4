// Command lines as rows: parsing, refusals and --help are derived from them. What a value means is
// the command's affair.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace client {

struct OptionRow {
  std::string_view name;   // with its dashes
  std::string_view value;  // what to write after it; nothing for a switch
  std::string_view help;
  std::string_view fallback = "";  // what holds without it
  bool repeats = false;
};

struct CommandRow {
  std::string_view name;
  std::string_view purpose;
  std::span<const OptionRow> options;  // --json and --help come by themselves
  std::string_view remarks;
};

class Words {
 public:
  bool has(std::string_view name) const { return values_.contains(name); }
  std::optional<std::string> find(std::string_view name) const;
  std::vector<std::string_view> all(std::string_view name) const;

 private:
  friend base::Result<Words> parse(const CommandRow& row, std::span<char* const> arguments);
  std::map<std::string_view, std::vector<std::string>> values_;  // by the row's name
};

// The error names the word that is wrong, and a way out.
base::Result<Words> parse(const CommandRow& row, std::span<char* const> arguments);

std::string help_text(const CommandRow& row);

}  // namespace client
