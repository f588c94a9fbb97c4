// What black holes cost their neighbours: one healthy endpoint alone, then beside many that accept
// and never answer, then beside many that cannot be reached at all. Production dispatcher, core and
// HTTP transport on the production loop; the store is the simulator's, in memory. The circuits of
// the black holes are kept from opening, so that they stay a burden.
//
// Each case runs in a process of its own. Two figures: how long a delivery to the healthy endpoint
// takes, from publish to answer, at a steady rate; and how many it gets per second when there is
// always one more waiting. The goal is over the medians of the runs.

#include <fmt/core.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "bench/awake.h"
#include "bench/isolation_world.h"
#include "bench/network.h"
#include "bench/sink.h"

namespace {

using bench::Case;
using bench::Figures;
using bench::Neighbours;

constexpr double kLatencyRatioMax = 1.2;
constexpr double kLatencyMoreMax = 1000;  // microseconds
constexpr double kThroughputRatioMin = 0.9;

struct Arguments {
  uint32_t endpoints = 1000;
  uint32_t runs = 5;
  bool wants_json = false;
};

struct Row {
  std::string_view name;
  Neighbours neighbours;
  std::vector<Figures> runs = {};
};

[[noreturn]] void refuse(std::string_view word) {
  fmt::print(stderr, "'{}': possible are --endpoints N, --runs N and --json\n", word);
  std::_Exit(2);
}

uint32_t number_of(std::string_view word, uint32_t most) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number < 1 || number > most) {
    refuse(word);
  }
  return number;
}

Arguments arguments_of(const std::vector<std::string_view>& words) {
  Arguments arguments;
  for (size_t at = 0; at < words.size(); ++at) {
    const std::string_view next = at + 1 < words.size() ? words[at + 1] : std::string_view();
    if (words[at] == "--json") {
      arguments.wants_json = true;
    } else if (words[at] == "--endpoints") {
      arguments.endpoints = number_of(next, 50'000);
      ++at;
    } else if (words[at] == "--runs") {
      arguments.runs = number_of(next, 99);
      ++at;
    } else {
      refuse(words[at]);
    }
  }
  return arguments;
}

// As many descriptors as the system lets us have: black holes hold two thousand.
void raise_descriptor_limit() {
  rlimit limit{};
  CHECK_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = limit.rlim_max;
  CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

// Sender and receivers keep to a processor each: where they meet makes more of a difference than
// what is measured here.
void stay_on_processor(int number) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(number, &set);
  if (sched_setaffinity(0, sizeof(set), &set) != 0) {
    fmt::print(stderr, "With one processor for sender and receivers the figures are worth less.\n");
  }
}

// Latencies are wall time; other work on the machine must not be in them.
void take_priority() {
  const sched_param priority{.sched_priority = 1};
  if (sched_setscheduler(0, SCHED_FIFO, &priority) != 0) {
    fmt::print(stderr, "Without real-time priority the figures include what else runs here.\n");
  }
}

Figures measure_in_child(const Case& which) {
  int ends[2] = {};
  CHECK_EQ(pipe(ends), 0);
  const pid_t child = fork();
  CHECK_GE(child, 0);
  if (child == 0) {
    const Figures figures = bench::measure(which);
    const bool is_told = write(ends[1], &figures, sizeof(figures)) == sizeof(figures);
    _exit(is_told ? 0 : 1);
  }
  close(ends[1]);
  Figures figures;
  int status = 0;
  CHECK_EQ(read(ends[0], &figures, sizeof(figures)), ssize_t{sizeof(figures)});
  close(ends[0]);
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(status, 0);
  return figures;
}

double median(const std::vector<Figures>& runs, double Figures::* figure) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const Figures& run : runs) {
    values.push_back(run.*figure);
  }
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Of what the same run measured alone: so a machine that is busier now than then cancels out.
double median_ratio(const Row& beside, const Row& alone, double Figures::* figure) {
  std::vector<double> ratios;
  ratios.reserve(alone.runs.size());
  for (size_t run = 0; run < alone.runs.size(); ++run) {
    ratios.push_back(beside.runs[run].*figure / (alone.runs[run].*figure));
  }
  std::ranges::sort(ratios);
  return ratios[ratios.size() / 2];
}

void print_row(const Row& row) {
  uint64_t failures = 0;
  for (const Figures& run : row.runs) {
    failures += run.failures;
  }
  fmt::print("{:<24} {:>7.0f} {:>7.0f} {:>10.0f} {:>14.0f} {:>11.3f} {:>10} {:>9}\n", row.name,
             median(row.runs, &Figures::p50_us), median(row.runs, &Figures::p99_us),
             median(row.runs, &Figures::per_second), median(row.runs, &Figures::per_cpu_second),
             median(row.runs, &Figures::core_share), row.runs.back().neighbours_in_flight,
             failures);
}

void print_goals(const Row& alone, const Row& beside) {
  const double p99 = median(alone.runs, &Figures::p99_us);
  const double p99_beside = median(beside.runs, &Figures::p99_us);
  fmt::print("{:<24} {:<40} {:>9.2f} {:>9.1f}\n", beside.name, "p99 / alone, at most",
             p99_beside / p99, kLatencyRatioMax);
  fmt::print("{:<24} {:<40} {:>9.0f} {:>9.0f}\n", "", "  or p99 - alone in us, at most",
             p99_beside - p99, kLatencyMoreMax);
  fmt::print("{:<24} {:<40} {:>9.2f} {:>9.1f}\n", "", "healthy/s / alone, at least",
             median_ratio(beside, alone, &Figures::per_second), kThroughputRatioMin);
  fmt::print("{:<24} {:<40} {:>9.2f} {:>9.1f}\n", "", "  or per CPU second / alone, at least",
             median_ratio(beside, alone, &Figures::per_cpu_second), kThroughputRatioMin);
}

void print_table(const Arguments& arguments, const std::vector<Row>& rows) {
  fmt::print("One healthy endpoint beside {} black holes; medians of {} runs\n\n",
             arguments.endpoints, arguments.runs);
  fmt::print("{:<24} {:>7} {:>7} {:>10} {:>14} {:>11} {:>10} {:>9}\n", "neighbours", "p50 us",
             "p99 us", "healthy/s", "/CPU second", "core share", "in flight", "failures");
  for (const Row& row : rows) {
    print_row(row);
  }
  fmt::print("\n{:<24} {:<40} {:>9} {:>9}\n", "neighbours", "goal", "measured", "limit");
  for (size_t at = 1; at < rows.size(); ++at) {
    print_goals(rows.front(), rows[at]);
  }
}

void print_json(const Arguments& arguments, const std::vector<Row>& rows) {
  fmt::print("{{\"bench\":\"isolation\",\"endpoints\":{},\"runs\":{}", arguments.endpoints,
             arguments.runs);
  for (const Row& row : rows) {
    fmt::print(
        ",\"{}\":{{\"p50_us\":{:.0f},\"p99_us\":{:.0f},\"per_second\":{:.0f},"
        "\"per_cpu_second\":{:.0f},\"core_share\":{:.3f}}}",
        row.name, median(row.runs, &Figures::p50_us), median(row.runs, &Figures::p99_us),
        median(row.runs, &Figures::per_second), median(row.runs, &Figures::per_cpu_second),
        median(row.runs, &Figures::core_share));
  }
  fmt::print("}}\n");
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = arguments_of({argv + 1, argv + argc});
  raise_descriptor_limit();
  bench::enter_own_network();
  const bench::Awake awake;
  take_priority();
  stay_on_processor(0);
  const bench::Sinks sinks;
  stay_on_processor(1);
  std::vector<Row> rows = {{"none", Neighbours::kNone},
                           {"accept and never answer", Neighbours::kSilent},
                           {"unroutable", Neighbours::kUnroutable}};
  for (uint32_t run = 1; run <= arguments.runs; ++run) {
    for (Row& row : rows) {
      const Figures figures = measure_in_child({.neighbours = row.neighbours,
                                                .endpoints = arguments.endpoints,
                                                .answering_port = sinks.answering_port(),
                                                .silent_port = sinks.silent_port()});
      fmt::print(stderr, "run {}, {}: p99 {:.0f} us, {:.0f}/s\n", run, row.name, figures.p99_us,
                 figures.per_second);
      row.runs.push_back(figures);
    }
  }
  if (arguments.wants_json) {
    print_json(arguments, rows);
  } else {
    print_table(arguments, rows);
  }
  return 0;
}
