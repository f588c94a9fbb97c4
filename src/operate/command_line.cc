#include "operate/command_line.h"

#include <fmt/format.h>

#include <array>

namespace operate {
namespace {

constexpr std::array kAuditOperands = {
    Operand{"DIRECTORY", "The data directory to count."},
};
constexpr std::array kBackupOperands = {
    Operand{"DIRECTORY", "The data directory to copy."},
    Operand{"TARGET", "The backup, a directory that is not there yet."},
};
constexpr std::array kRestoreOperands = {
    Operand{"BACKUP", "A backup; it is not changed."},
    Operand{"DIRECTORY", "The data directory to make, absent or empty."},
};

struct OptionRow {
  std::string_view name;
  std::string_view help;
  bool Request::* field;
};
constexpr std::array kOptions = {
    OptionRow{"--json", "Print the result as one line of JSON.", &Request::json},
    OptionRow{"--help", "Print this text.", &Request::help},
};

std::string usage(const CommandRow& row) {
  std::string text = fmt::format("postrider {} [options]", row.name);
  for (const Operand& operand : row.operands) {
    text += fmt::format(" {}", operand.name);
  }
  return text;
}

base::Result<bool> set_option(const CommandRow& row, std::string_view word, Request& request) {
  for (const OptionRow& option : kOptions) {
    if (word == option.name || (word == "-h" && option.name == "--help")) {
      request.*option.field = true;
      return true;
    }
  }
  return base::fail(base::ErrorCode::kInvalid,
                    fmt::format("{} is not an option; see `postrider {} --help`", word, row.name));
}

}  // namespace

constinit const CommandRow kAudit = {
    .name = "audit",
    .purpose =
        "Counts everything in a data directory and compares it with what the store says of "
        "itself.",
    .operands = kAuditOperands,
    .example = "/var/lib/postrider",
    .remarks =
        "Reads every record and changes nothing. No server may have the directory open.\n"
        "Exit code: 0 sound, 1 not sound or not readable, 2 wrong arguments.\n",
};
constinit const CommandRow kBackup = {
    .name = "backup",
    .purpose = "Makes a backup of a data directory, and audits it.",
    .operands = kBackupOperands,
    .example = "/var/lib/postrider /backup/monday",
    .remarks =
        "On the same disk the backup shares its files with the store and takes next to no\n"
        "room; copy it to another one. No server may have the directory open.\n"
        "Exit code: 0 made and sound, 1 not made or not sound, 2 wrong arguments.\n",
};
constinit const CommandRow kRestore = {
    .name = "restore",
    .purpose = "Makes a data directory of a backup, and audits it.",
    .operands = kRestoreOperands,
    .example = "/backup/monday /var/lib/postrider",
    .remarks =
        "Deliveries that were unfinished when the backup was made will be sent again.\n"
        "Exit code: 0 restored and sound, 1 not restored or not sound, 2 wrong arguments.\n",
};

base::Result<Request> parse(const CommandRow& row, std::span<char* const> arguments) {
  Request request;
  for (const std::string_view word : arguments) {
    if (word.starts_with('-') && word != "-") {
      TRY([[maybe_unused]] const bool is_known, set_option(row, word, request));
    } else if (request.operands.size() == row.operands.size()) {
      return base::fail(base::ErrorCode::kInvalid,
                        fmt::format("'{}' is one word too many; usage: {}", word, usage(row)));
    } else {
      request.operands.emplace_back(word);
    }
  }
  if (!request.help && request.operands.size() < row.operands.size()) {
    const Operand& missing = row.operands[request.operands.size()];
    return base::fail(base::ErrorCode::kInvalid,
                      fmt::format("{} is missing; usage: {}. Example: postrider {} {}",
                                  missing.name, usage(row), row.name, row.example));
  }
  return request;
}

std::string help_text(const CommandRow& row) {
  std::string text = fmt::format("Usage: {}\n\n{}\n\n", usage(row), row.purpose);
  for (const Operand& operand : row.operands) {
    text += fmt::format("  {:<12} {}\n", operand.name, operand.meaning);
  }
  text += "\nOptions:\n";
  for (const OptionRow& option : kOptions) {
    text += fmt::format("  {:<12} {}\n", option.name, option.help);
  }
  text += fmt::format("\nExample:\n  postrider {} {}\n\n{}", row.name, row.example, row.remarks);
  return text + "Details: docs/operations.md.\n";
}

}  // namespace operate
