// What clients that are slow on purpose cost the others: p99 from publish to receiver at 30% of the
// most that single publishes reach in the same run, while slowhttptest opens and holds a thousand
// connections, of the same without an attack. In turns, each on a new server; the median of five
// ratios counts.
//
// Attackers share the processors here, and slowhttptest takes a whole one while it holds its
// connections. It has the lowest priority, which the kernel heeds only between its calls. So the
// same is measured a third time with the attack on another server beside: what that costs is not
// the server's doing.

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
#include "bench/served.h"
#include "bench/slow_attack.h"
#include "bench/throughput.h"
#include "bench/watching_sink.h"

namespace {

constexpr int kRounds = 5;
constexpr base::Duration kPacedLength = base::Duration::seconds(3);
constexpr base::Duration kDrainedWithin = base::Duration::seconds(30);
constexpr double kLoad = 0.30;
constexpr double kRatioMax = 1.2;

enum class Attacked : uint8_t { kNobody, kOther, kItself };

// p99, in milliseconds.
double measure(const std::string& directory, double per_second, const bench::SlowMode& mode,
               Attacked attacked) {
  const bench::WatchingSink sink(bench::FirstAttempts::kAreTaken);
  const bench::Served server(directory + "/server", {"--log.level", "warn"});
  const bench::Served other(directory + "/other", {"--log.level", "warn"});
  server.subscribe(bench::kTopics, sink.port());
  std::optional<bench::SlowAttack> attack;
  if (attacked != Attacked::kNobody) {
    attack.emplace(attacked == Attacked::kItself ? server : other, mode);
  }
  const uint64_t published = bench::publish_at(
      server, {.per_second = per_second, .length = kPacedLength, .topics = bench::kTopics});
  if (attack.has_value()) {
    attack->check_is_under_way();
  }
  CHECK(server.wait_until([&] { return sink.received() >= published; }, kDrainedWithin));
  return bench::percentile(sink.late_ms(), 0.99);
}

struct Compared {
  double beside = 0;  // times p99 without an attack; medians
  double attacked = 0;
};

Compared compare(const std::string& directory, double per_second, const bench::SlowMode& mode) {
  std::vector<double> beside;
  std::vector<double> attacked;
  for (int round = 0; round < kRounds; ++round) {
    const double alone_ms = measure(directory, per_second, mode, Attacked::kNobody);
    beside.push_back(measure(directory, per_second, mode, Attacked::kOther) / alone_ms);
    attacked.push_back(measure(directory, per_second, mode, Attacked::kItself) / alone_ms);
  }
  return {.beside = bench::median(beside), .attacked = bench::median(attacked)};
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
    report.figures.push_back({mode.beside_key, mode.beside_words, compared.beside});
    report.goals.push_back(
        {mode.key, mode.words, compared.attacked, kRatioMax, bench::Better::kLess});
  }
  bench::print_report(report, options);
  return 0;
}
