// The operators' commands as rows, and their command lines. Parsing, refusals and --help are
// derived from the rows.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace operate {

struct Operand {
  std::string_view name;
  std::string_view meaning;
};

struct CommandRow {
  std::string_view name;
  std::string_view purpose;           // one sentence
  std::span<const Operand> operands;  // all of them must be given
  std::string_view example;           // of the operands
  std::string_view remarks;
};

extern const CommandRow kAudit;
extern const CommandRow kBackup;
extern const CommandRow kRestore;

// What one command line asks for.
struct Request {
  bool help = false;
  bool json = false;
  std::vector<std::string> operands;  // as many as the row has, unless help is asked for
};

// The error names the word that is wrong, and a way out.
base::Result<Request> parse(const CommandRow& row, std::span<char* const> arguments);

std::string help_text(const CommandRow& row);

}  // namespace operate
