// What clients that are slow on purpose cost the others: p99 from publish to receiver at 30% of the
// most that single publishes reach in the same run, while slowhttptest opens and holds a thousand
// connections, of the same without an attack. In turns, each on a new server of the same age; the
// median of five ratios counts.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "bench/awake.h"
#include "bench/goals.h"
#include "bench/measures.h"
#include "bench/outbound_sink.h"
#include "bench/paced_producer.h"
#include "bench/payloads.h"
#include "bench/served.h"
#include "bench/slow_attack.h"
#include "bench/throughput.h"
#include "bench/watching_sink.h"

namespace {

constexpr int kRounds = 5;
constexpr base::Duration kPacedLength = base::Duration::seconds(5);
// An attack takes two or three seconds to be felt; without one the server is given them as well, so
// that both are of the same age.
constexpr base::Duration kAge = base::Duration::seconds(4);
constexpr base::Duration kDrainedWithin = base::Duration::seconds(30);
constexpr double kLoad = 0.30;
constexpr double kRatioMax = 1.2;

// p99, in milliseconds; `mode` is null where nobody attacks.
double measure(const std::string& directory, double per_second, const bench::SlowMode* mode) {
  const bench::WatchingSink sink(bench::FirstAttempts::kAreTaken);
  const bench::Served server(directory + "/server", {"--log.level", "warn"});
  const int64_t grown_up_ns = bench::nanoseconds_now() + kAge.count_ms() * 1'000'000;
  server.subscribe(bench::kTopics, sink.port());
  std::optional<bench::SlowAttack> attack;
  if (mode != nullptr) {
    attack.emplace(server, *mode);
  }
  const int64_t left_ms = (grown_up_ns - bench::nanoseconds_now()) / 1'000'000;
  server.leave_alone_for(base::Duration::ms(std::max<int64_t>(left_ms, 0)));
  const uint64_t published = bench::publish_at(
      server, {.per_second = per_second, .length = kPacedLength, .topics = bench::kTopics});
  if (attack.has_value()) {
    attack->check_is_under_way();
  }
  CHECK(server.wait_until([&] { return sink.received() >= published; }, kDrainedWithin));
  return bench::percentile(sink.late_ms(), 0.99);
}

struct Compared {
  double alone_ms = 0;  // medians
  double ratio = 0;
};

Compared compare(const std::string& directory, double per_second, const bench::SlowMode& mode) {
  std::vector<double> alone;
  std::vector<double> ratios;
  for (int round = 0; round < kRounds; ++round) {
    alone.push_back(measure(directory, per_second, nullptr));
    ratios.push_back(measure(directory, per_second, &mode) / alone.back());
  }
  return {.alone_ms = bench::median(alone), .ratio = bench::median(ratios)};
}

}  // namespace

int main(int argc, char** argv) {
  const bench::BenchOptions options = bench::parse_options("slow_clients", argc, argv);
  bench::raise_descriptor_limit();
  const bench::Awake awake;
  const bench::ThroughputRig rig(options.directory);
  const double most = rig.most_published(bench::Publishing::kSingle);
  bench::Report report{.bench = "slow_clients",
                       .figures = {{"load_per_second",
                                    "30% of the most single publishes, per second", kLoad * most}}};
  for (const bench::SlowMode& mode : bench::slow_modes()) {
    const Compared compared = compare(options.directory, kLoad * most, mode);
    report.figures.push_back({mode.alone_key, mode.alone_words, compared.alone_ms});
    report.goals.push_back({mode.key, mode.words, compared.ratio, kRatioMax, bench::Better::kLess});
  }
  bench::print_report(report, options);
  return 0;
}
