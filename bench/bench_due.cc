// How late retries are: at 30% of the most that the server delivers in the same run, half of the
// attempts are retries, each due at a time that is known beforehand.
//
// Every first attempt is refused, and the retry falls due two seconds after the event was queued.
// Lateness is taken from outside: arrival of the retry, less two seconds, less the time at which
// the event ought to have been published. So it includes the way in and out, and overstates what
// the server does by that. p99 is the median of five runs, each on a new server. The data directory
// must be on a real disk.

#include <algorithm>
#include <string>
#include <vector>

#include "base/check.h"
#include "bench/awake.h"
#include "bench/goals.h"
#include "bench/measures.h"
#include "bench/outbound_sink.h"
#include "bench/paced_producer.h"
#include "bench/served.h"
#include "bench/throughput.h"
#include "bench/watching_sink.h"

namespace {

constexpr int kRounds = 5;
constexpr double kLoad = 0.30;
constexpr double kAttemptsPerEvent = 2;
constexpr double kDelayMs = 2000;
constexpr double kRounding = -1;  // the server's times are whole milliseconds
constexpr base::Duration kPacedLength = base::Duration::seconds(8);
constexpr base::Duration kDrainedWithin = base::Duration::seconds(30);

// Nothing is disabled because its first attempts fail. The second delay is for retries that are
// refused by accident: the run then shows how late they are instead of waiting for ever.
const std::vector<std::string>& settings() {
  static const std::vector<std::string> kSettings = {"--log.level",
                                                     "warn",
                                                     "--retry.delays",
                                                     "2s,4s",
                                                     "--circuit.rate_percent",
                                                     "100",
                                                     "--circuit.consecutive_to_disable",
                                                     "0"};
  return kSettings;
}

struct Late {
  double p50_ms = 0;
  double p99_ms = 0;
  double least_ms = 0;
};

Late measure_round(const std::string& directory, double events_per_second) {
  const bench::WatchingSink sink(bench::FirstAttempts::kAreRefused);
  const bench::Served server(directory + "/server", settings());
  server.subscribe(bench::kTopics, sink.port());
  const uint64_t published = bench::publish_at(
      server, {.per_second = events_per_second, .length = kPacedLength, .topics = bench::kTopics});
  CHECK(server.wait_until([&] { return sink.received() >= published; }, kDrainedWithin));
  std::vector<double> late = sink.late_ms();
  std::ranges::for_each(late, [](double& one) { one -= kDelayMs; });
  return {.p50_ms = bench::percentile(late, 0.50),
          .p99_ms = bench::percentile(late, 0.99),
          .least_ms = *std::ranges::min_element(late)};
}

Late measure(const std::string& directory, double events_per_second) {
  std::vector<double> p50;
  std::vector<double> p99;
  std::vector<double> least;
  for (int round = 0; round < kRounds; ++round) {
    const Late late = measure_round(directory, events_per_second);
    p50.push_back(late.p50_ms);
    p99.push_back(late.p99_ms);
    least.push_back(late.least_ms);
  }
  return {.p50_ms = bench::median(p50),
          .p99_ms = bench::median(p99),
          .least_ms = *std::ranges::min_element(least)};
}

}  // namespace

int main(int argc, char** argv) {
  const bench::BenchOptions options = bench::parse_options("due", argc, argv);
  bench::raise_descriptor_limit();
  const bench::Awake awake;
  const bench::ThroughputRig rig(options.directory);
  const double most = rig.most_published(bench::Publishing::kSingle);
  const Late late = measure(options.directory, kLoad * most / kAttemptsPerEvent);
  bench::print_report(
      {.bench = "due",
       .figures = {{"most_per_second", "single publish to receiver at most, per second", most},
                   {"attempts_per_second", "30% of it, as attempts", kLoad * most},
                   {"late_p50_ms", "retry after its due time, p50, ms", late.p50_ms}},
       .goals = {{"late_p99_ms", "retry after its due time at 30% load, p99, ms", late.p99_ms, 20,
                  bench::Better::kLess},
                 {"late_least_ms", "the earliest of all, ms", late.least_ms, kRounding,
                  bench::Better::kMore}}},
      options);
  return 0;
}
