#include "config/command.h"

#include <fmt/format.h>

#include <cstdio>

#include "config/pages.h"

namespace config {
namespace {

constexpr int kExitDone = 0;
constexpr int kExitUsage = 2;

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

}  // namespace

std::string problems_text(std::string_view command, const Loaded& loaded) {
  std::string text;
  for (const std::string& problem : loaded.problems) {
    text +=
        fmt::format("postrider {}: {}{}\n", command, problem, problem.ends_with('?') ? "" : ".");
  }
  return text;
}

int command(std::span<char* const> arguments) {
  const Loaded loaded = load(process_inputs(arguments, {"--json", "--markdown", "--help", "-h"}));
  if (loaded.has_switch("--help") || loaded.has_switch("-h")) {
    print(help_text());
    return kExitDone;
  }
  if (!loaded.problems.empty()) {
    fmt::print(stderr, "{}", problems_text("config", loaded));
    return kExitUsage;
  }
  if (loaded.has_switch("--markdown")) {
    print(markdown_page());
  } else {
    print(loaded.has_switch("--json") ? effective_json(loaded) : effective_table(loaded));
  }
  return kExitDone;
}

}  // namespace config
