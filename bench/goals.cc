#include "bench/goals.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "bench/disk.h"

namespace bench {
namespace {

[[noreturn]] void refuse(int status, const std::string& why) {
  fmt::print(stderr, "{}\n", why);
  std::_Exit(status);
}

void print_table(const Report& report) {
  for (const Figure& figure : report.figures) {
    fmt::print("{:<60} {:>12.2f}\n", figure.words, figure.value);
  }
  fmt::print("\n{:<60} {:>12} {:>12}\n", "goal", "measured", "limit");
  for (const Goal& goal : report.goals) {
    const std::string_view sign = goal.better == Better::kMore ? ">=" : "<=";
    fmt::print("{:<60} {:>12.2f} {:>9} {:.2f}{}\n", goal.words, goal.measured, sign, goal.limit,
               goal.is_met() ? "" : "  MISSED");
  }
}

void print_json(const Report& report) {
  fmt::print("{{\"bench\":\"{}\"", report.bench);
  for (const Figure& figure : report.figures) {
    fmt::print(",\"{}\":{:.4f}", figure.key, figure.value);
  }
  fmt::print(",\"goals\":[");
  std::string_view comma;
  for (const Goal& goal : report.goals) {
    fmt::print("{}{{\"name\":\"{}\",\"measured\":{:.4f},\"{}\":{:.4f},\"met\":{}}}", comma,
               goal.key, goal.measured, goal.better == Better::kMore ? "at_least" : "at_most",
               goal.limit, goal.is_met());
    comma = ",";
  }
  fmt::print("]}}\n");
}

}  // namespace

BenchOptions parse_options(std::string_view name, int argc, char** argv) {
  BenchOptions options;
  for (int index = 1; index < argc; ++index) {
    const std::string_view word = argv[index];
    if (word == "--json") {
      options.wants_json = true;
    } else if (word == "--directory" && index + 1 < argc) {
      options.directory = argv[++index];
    } else {
      refuse(2, fmt::format("usage: bench_{} [--json] [--directory PATH]", name));
    }
  }
  if (options.directory.empty()) {
    options.directory = fmt::format("build/bench_{}_data", name);
    std::filesystem::remove_all(options.directory);  // of a run that was broken off
  }
  std::filesystem::create_directories(options.directory);
  if (!std::filesystem::is_empty(options.directory)) {
    refuse(1, fmt::format("bench_{}: {} is not empty; choose another --directory", name,
                          options.directory));
  }
  if (!is_on_a_disk(options.directory)) {
    refuse(1, fmt::format("bench_{}: {} is not on a disk; choose another --directory", name,
                          options.directory));
  }
  return options;
}

void print_report(const Report& report, const BenchOptions& options) {
  if (options.wants_json) {
    print_json(report);
  } else {
    print_table(report);
  }
}

}  // namespace bench
