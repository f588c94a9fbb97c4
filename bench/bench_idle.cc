// What a server costs that has nothing to do: resident memory, CPU over 30 seconds, and the time
// from its start until it listens.
//
// The start is a first one, on an empty data directory, and the median of five; the rest is of the
// last of them. The data directory must be on a real disk.

#include <memory>
#include <string>
#include <vector>

#include "bench/goals.h"
#include "bench/measures.h"
#include "bench/served.h"

namespace {

constexpr int kStarts = 5;
constexpr base::Duration kSettling = base::Duration::seconds(5);
constexpr base::Duration kWatched = base::Duration::seconds(30);

struct Idle {
  double start_seconds = 0;
  double resident_mib = 0;
  double cpu_percent = 0;
};

Idle measure(const std::string& directory) {
  std::vector<double> starts;
  std::unique_ptr<bench::Served> server;
  for (int start = 0; start < kStarts; ++start) {
    server.reset();
    server = std::make_unique<bench::Served>(directory + "/server");
    starts.push_back(server->start_seconds());
  }
  server->leave_alone_for(kSettling);
  const double before = server->cpu_seconds();
  server->leave_alone_for(kWatched);
  const double used = server->cpu_seconds() - before;
  return {.start_seconds = bench::median(starts),
          .resident_mib = server->resident_mib(),
          .cpu_percent = used / (static_cast<double>(kWatched.count_ms()) / 1000) * 100};
}

}  // namespace

int main(int argc, char** argv) {
  const bench::BenchOptions options = bench::parse_options("idle", argc, argv);
  const Idle idle = measure(options.directory);
  bench::print_report({.bench = "idle",
                       .figures = {},
                       .goals = {{"resident_mib", "resident memory, MiB", idle.resident_mib, 40,
                                  bench::Better::kLess},
                                 {"cpu_percent", "CPU over 30 s, percent of one processor",
                                  idle.cpu_percent, 0.5, bench::Better::kLess},
                                 {"start_seconds", "cold start to listening, seconds",
                                  idle.start_seconds, 0.3, bench::Better::kLess}}},
                      options);
  return 0;
}
