// The `postrider` program: picks the command, runs it, turns its answer into an exit code.
//
// Each command is one row of kCommands; this file knows their names and nothing of their work.
// Exit codes: 0 done, 1 the command ran and failed, 2 the command line asks for what cannot be run.

#include <fmt/core.h>

#include <array>
#include <cstdio>
#include <span>
#include <string_view>

#include "client/command.h"
#include "config/command.h"
#include "operate/command.h"
#include "server/command.h"
#include "simulate/command.h"

namespace {

constexpr int kExitDone = 0;
constexpr int kExitUsage = 2;

using Arguments = std::span<char* const>;

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(Arguments arguments);
};

constexpr std::array kCommands = {
    Command{"serve", "Run the delivery server.", server::command},
    Command{"publish", "Publish events.", client::publish},
    Command{"listen", "Receive webhooks on this machine and show them.", client::listen},
    Command{"config", "Show the configuration, and where each value comes from.", config::command},
    Command{"audit", "Count a data directory and say whether it is sound.", operate::audit},
    Command{"backup", "Make a backup of a data directory.", operate::backup},
    Command{"restore", "Make a data directory of a backup.", operate::restore},
    Command{"simulate", "Show what would happen if an endpoint failed.", simulate::command},
};

void print_help() {
  fmt::print("Postrider delivers webhooks.\n\nUsage: postrider <command> [options]\n\nCommands:\n");
  for (const Command& command : kCommands) {
    fmt::print("  {:<10} {}\n", command.name, command.summary);
  }
  fmt::print("\nOptions:\n  --help     Print this text.\n  --version  Print the version.\n");
}

int run(Arguments arguments) {
  if (arguments.empty()) {
    fmt::print(stderr, "postrider: no command given; see `postrider --help`.\n");
    return kExitUsage;
  }
  const std::string_view first = arguments.front();
  if (first == "--help" || first == "-h") {
    print_help();
    return kExitDone;
  }
  if (first == "--version") {
    fmt::print("postrider {}\n", POSTRIDER_VERSION);
    return kExitDone;
  }
  for (const Command& command : kCommands) {
    if (command.name == first) {
      return command.run(arguments.subspan(1));
    }
  }
  fmt::print(stderr, "postrider: '{}' is not a command; see `postrider --help`.\n", first);
  return kExitUsage;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments all(argv, static_cast<std::size_t>(argc));
  return run(all.empty() ? all : all.subspan(1));
}
