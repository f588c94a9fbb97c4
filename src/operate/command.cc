#include "operate/command.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "operate/command_line.h"
#include "operate/tasks.h"

namespace operate {
namespace {

constexpr int kExitDone = 0;
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

using Task = base::Result<Answer> (*)(const std::vector<std::string>& operands);

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int run(const CommandRow& row, Task task, std::span<char* const> arguments) {
  const base::Result<Request> request = parse(row, arguments);
  if (!request.has_value()) {
    fmt::print(stderr, "postrider {}: {}.\n", row.name, request.error().detail);
    return kExitUsage;
  }
  if (request->help) {
    print(help_text(row));
    return kExitDone;
  }
  const base::Result<Answer> answer = task(request->operands);
  if (!answer.has_value()) {
    fmt::print(stderr, "postrider {}: {}.\n", row.name, answer.error().detail);
    return kExitFailed;
  }
  print(request->json ? answer->json : answer->text);
  return answer->is_sound ? kExitDone : kExitFailed;
}

}  // namespace

int audit(std::span<char* const> arguments) { return run(kAudit, audit_directory, arguments); }

int backup(std::span<char* const> arguments) { return run(kBackup, make_backup, arguments); }

int restore(std::span<char* const> arguments) { return run(kRestore, restore_backup, arguments); }

}  // namespace operate
