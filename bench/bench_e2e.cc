// Durable deliveries per second, end to end: from publishing to the receiver, by the released
// server with its default settings, beside wrk posting the same bodies straight at the same sink on
// the same processors in the same run.
//
// 1 KiB of random JSON each, to 64 endpoints in turn; one event per request, and 100 lines of
// NDJSON per request. wrk and the producers have their best number of connections, found
// beforehand. The three take turns; a ratio is the median of the rounds'. The data directory must
// be on a real disk.

#include <vector>

#include "bench/awake.h"
#include "bench/goals.h"
#include "bench/measures.h"
#include "bench/outbound_sink.h"
#include "bench/throughput.h"

namespace {

using bench::Publishing;

constexpr int kRounds = 5;
constexpr int kSeconds = 4;

struct Rounds {
  std::vector<double> straight;
  std::vector<double> lines;
  std::vector<double> single;
  std::vector<double> lines_cpu_us;
  std::vector<double> single_cpu_us;
};

struct Connections {
  int straight = 0;
  int lines = 0;
  int single = 0;
};

Rounds measure(const bench::ThroughputRig& rig, const Connections& connections) {
  Rounds rounds;
  for (int round = 0; round < kRounds; ++round) {
    rounds.straight.push_back(rig.straight(connections.straight, kSeconds).per_second);
    const bench::Throughput lines = rig.published(Publishing::kLines, connections.lines, kSeconds);
    rounds.lines.push_back(lines.per_second);
    rounds.lines_cpu_us.push_back(lines.server_cpu_us);
    const bench::Throughput single =
        rig.published(Publishing::kSingle, connections.single, kSeconds);
    rounds.single.push_back(single.per_second);
    rounds.single_cpu_us.push_back(single.server_cpu_us);
  }
  return rounds;
}

double median_ratio(const std::vector<double>& ours, const std::vector<double>& limit) {
  std::vector<double> ratios;
  ratios.reserve(ours.size());
  for (size_t round = 0; round < ours.size(); ++round) {
    ratios.push_back(ours[round] / limit[round]);
  }
  return bench::median(ratios);
}

bench::Report report_of(const Rounds& rounds, const Connections& connections) {
  return {
      .bench = "e2e",
      .figures =
          {{"straight_per_second", "wrk straight at the sink, per second",
            bench::median(rounds.straight)},
           {"straight_connections", "  its connections", static_cast<double>(connections.straight)},
           {"lines_per_second", "NDJSON publish to receiver, per second",
            bench::median(rounds.lines)},
           {"lines_connections", "  its connections", static_cast<double>(connections.lines)},
           {"lines_server_cpu_us", "  the server's CPU for each, us",
            bench::median(rounds.lines_cpu_us)},
           {"single_per_second", "single publish to receiver, per second",
            bench::median(rounds.single)},
           {"single_connections", "  its connections", static_cast<double>(connections.single)},
           {"single_server_cpu_us", "  the server's CPU for each, us",
            bench::median(rounds.single_cpu_us)}},
      .goals = {{"lines_ratio", "NDJSON publish, of wrk straight",
                 median_ratio(rounds.lines, rounds.straight), 0.40, bench::Better::kMore},
                {"single_ratio", "single publish, of wrk straight",
                 median_ratio(rounds.single, rounds.straight), 0.25, bench::Better::kMore}}};
}

}  // namespace

int main(int argc, char** argv) {
  const bench::BenchOptions options = bench::parse_options("e2e", argc, argv);
  bench::raise_descriptor_limit();
  const bench::Awake awake;
  const bench::ThroughputRig rig(options.directory);
  const Connections connections{.straight = rig.best_straight(),
                                .lines = rig.best_published(Publishing::kLines),
                                .single = rig.best_published(Publishing::kSingle)};
  bench::print_report(report_of(measure(rig, connections), connections), options);
  return 0;
}
