// Runs many seeds over several processes, adds up what they met, and fails if any seed breaks a
// rule, if a rare case was met too seldom, if a repeated seed runs differently, or if the canary
// survives.
//
//   sim_swarm --seeds 2000 [--first 1] [--jobs 2]     sim_swarm --seed 17 [--trace]

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "tests/sim/forked.h"
#include "tests/sim/trace.h"
#include "tests/sim/world.h"

namespace {

using swarm::RunReport;

constexpr uint64_t kCanarySeed = 4;
constexpr uint64_t kRepeatEvery = 10;
// Of 2000 seeds; fewer seeds owe proportionally fewer.
constexpr uint64_t kSeedsPerFeature = 50;
constexpr uint64_t kSeedsOfCoverage = 2000;

struct Request {
  uint64_t first = 1;
  uint64_t seeds = 100;
  uint64_t jobs = 2;
  uint64_t only = 0;
  bool trace = false;
};

RunReport run_seed(uint64_t seed, swarm::World::Options options = {}) {
  const swarm::Plan plan = swarm::make_plan(seed);
  return swarm::World(plan, std::move(options)).run();
}

void print_violations(uint64_t seed, const RunReport& report) {
  for (const checks::Violation& violation : report.violations) {
    fmt::print("seed {}: {} at {}: {}\n", seed, violation.rule, violation.at.ms(), violation.what);
  }
}

int run_one(const Request& request) {
  swarm::World::Options options;
  if (request.trace) {
    options.trace = [](const checks::Observation& observation) {
      fmt::print("{}\n", swarm::describe(observation));
    };
  }
  const RunReport report = run_seed(request.only, std::move(options));
  print_violations(request.only, report);
  fmt::print("seed {}: {} deliveries, {} attempts, {} endpoints, {} virtual hours, hash {:016x}\n",
             request.only, report.deliveries, report.attempts, report.endpoints,
             report.virtual_time.count_ms() / 3'600'000, report.trace_hash);
  return report.violations.empty() ? 0 : 1;
}

// One line per seed, from the worker to the parent.
std::string encode(uint64_t seed, const RunReport& report, bool repeats) {
  return fmt::format("{} {} {} {} {} {} {} {}\n", seed, report.violations.size(), repeats ? 1 : 0,
                     report.deliveries, report.attempts, report.endpoints,
                     report.virtual_time.count_ms() / 3'600'000,
                     report.coverage.seen().to_string());
}

struct Sums {
  std::array<uint64_t, swarm::kFeatures.size()> features{};
  std::vector<uint64_t> deliveries;
  std::vector<uint64_t> endpoints;
  std::vector<uint64_t> hours;
  uint64_t attempts = 0;
  uint64_t failed = 0;
  uint64_t unrepeatable = 0;
};

void add_line(Sums& sums, const std::string& line) {
  uint64_t seed = 0;
  uint64_t violations = 0;
  int repeats = 0;
  uint64_t deliveries = 0;
  uint64_t attempts = 0;
  uint64_t endpoints = 0;
  uint64_t hours = 0;
  std::array<char, 256> coverage{};
  if (std::sscanf(line.c_str(), "%lu %lu %d %lu %lu %lu %lu %255s", &seed, &violations, &repeats,
                  &deliveries, &attempts, &endpoints, &hours, coverage.data()) != 8) {
    return;
  }
  sums.failed += violations > 0 ? 1 : 0;
  sums.unrepeatable += repeats == 0 ? 1 : 0;
  sums.deliveries.push_back(deliveries);
  sums.endpoints.push_back(endpoints);
  sums.hours.push_back(hours);
  sums.attempts += attempts;
  const std::bitset<swarm::kFeatures.size()> seen(coverage.data());
  for (size_t i = 0; i < seen.size(); ++i) {
    sums.features[i] += seen.test(i) ? 1 : 0;
  }
}

uint64_t median(std::vector<uint64_t>& values) {
  if (values.empty()) {
    return 0;
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool print_coverage(const Sums& sums, uint64_t seeds) {
  const uint64_t owed = seeds * kSeedsPerFeature / kSeedsOfCoverage;
  bool is_enough = true;
  fmt::print("\n{:<52} {:>8}\n", "met in this many seeds", "seeds");
  for (size_t i = 0; i < swarm::kFeatures.size(); ++i) {
    const bool is_short = sums.features[i] < owed;
    fmt::print("{:<52} {:>8}{}\n", swarm::kFeatures[i], sums.features[i],
               is_short ? "  TOO FEW" : "");
    is_enough = is_enough && !is_short;
  }
  return is_enough;
}

bool canary_is_noticed() {
  // Without crashes, whose recovery would make up for the swallowed attempt.
  swarm::Plan plan = swarm::make_plan(kCanarySeed);
  plan.actions.clear();
  const RunReport report = swarm::World(plan, {.is_canary = true}).run();
  fmt::print("canary: {}\n", report.violations.empty() ? "SURVIVED" : "noticed, as it must be");
  return !report.violations.empty();
}

void work(const Request& request, uint64_t worker, const swarm::Say& say) {
  for (uint64_t seed = request.first + worker; seed < request.first + request.seeds;
       seed += request.jobs) {
    say(fmt::format("begin {}\n", seed));
    const RunReport report = run_seed(seed);
    const bool repeats = seed % kRepeatEvery != 0 || run_seed(seed).trace_hash == report.trace_hash;
    if (!report.violations.empty()) {
      print_violations(seed, report);
      std::fflush(stdout);
    }
    say(encode(seed, report, repeats));
  }
}

int run_many(const Request& request) {
  Sums sums;
  bool died = false;
  swarm::run_forked(
      request.jobs, [&](uint64_t worker, const swarm::Say& say) { work(request, worker, say); },
      [&](const std::string& line) { add_line(sums, line); },
      [&](const std::string& last_line, int status) {
        died = true;
        fmt::print("a worker died (status {}) after: {}\n", status, last_line);
      });
  const uint64_t done = sums.deliveries.size();
  fmt::print("{} seeds, {} attempts; median {} deliveries, {} endpoints, {} virtual hours\n", done,
             sums.attempts, median(sums.deliveries), median(sums.endpoints), median(sums.hours));
  const bool is_covered = print_coverage(sums, request.seeds);
  const bool is_noticed = canary_is_noticed();
  fmt::print("{} seeds with violations, {} that did not repeat, {} missing\n", sums.failed,
             sums.unrepeatable, request.seeds - done);
  const bool is_good = !died && is_covered && is_noticed && sums.failed == 0 &&
                       sums.unrepeatable == 0 && done == request.seeds;
  fmt::print("{}\n", is_good ? "swarm: passed" : "swarm: FAILED");
  return is_good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Request request;
  CLI::App app{"Runs the delivery core through simulated faults."};
  app.add_option("--seeds", request.seeds, "How many seeds");
  app.add_option("--first", request.first, "The first seed");
  app.add_option("--jobs", request.jobs, "Processes side by side");
  app.add_option("--seed", request.only, "Run this seed alone");
  app.add_flag("--trace", request.trace, "With --seed: print everything that happens");
  CLI11_PARSE(app, argc, argv);
  return request.only != 0 ? run_one(request) : run_many(request);
}
