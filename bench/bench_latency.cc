// How long producers and receivers wait: the acknowledgement of a publish at light load, beside
// fdatasync of as many bytes on the same disk in turns; and publish to receiver at 30% of the most
// that single publishes reach in the same run.
//
// 1 KiB of random JSON to 64 endpoints in turn. At 30% load producers do not wait for answers (see
// paced_producer.h); time runs from an event's turn to its arrival at the receiver. p99 is the
// median of five runs, each on a new server. The data directory must be on a real disk.

#include <string>
#include <vector>

#include "base/check.h"
#include "bench/awake.h"
#include "bench/disk.h"
#include "bench/goals.h"
#include "bench/measures.h"
#include "bench/outbound_sink.h"
#include "bench/paced_producer.h"
#include "bench/payloads.h"
#include "bench/served.h"
#include "bench/throughput.h"
#include "bench/watching_sink.h"
#include "client/api_client.h"

namespace {

constexpr int kRounds = 5;
constexpr base::Duration kPacedLength = base::Duration::seconds(5);
constexpr base::Duration kDrainedWithin = base::Duration::seconds(30);
constexpr base::Duration kOutcomeWithin = base::Duration::ms(10);
constexpr double kLoad = 0.30;
constexpr size_t kLightPublishes = 400;

struct Light {
  double acknowledged_us = 0;  // p50s
  double sync_us = 0;
};

// By turns, so that both see the same disk.
Light measure_light(const std::string& directory) {
  const bench::WatchingSink sink(bench::FirstAttempts::kAreTaken);
  const bench::Served server(directory + "/server", {"--log.level", "warn"});
  server.subscribe(bench::kTopics, sink.port());
  const auto client = *client::ApiClient::make(server.url(""), server.key());
  bench::SyncedFile file(directory + "/synced");
  const std::vector<std::string> payloads = bench::random_payloads(kLightPublishes);
  std::vector<double> acknowledged;
  std::vector<double> syncs;
  for (size_t index = 0; index < kLightPublishes; ++index) {
    std::string event = bench::event_of(index % bench::kTopics, payloads[index]);
    const int64_t begin = bench::nanoseconds_now();
    const auto answer = client->post("/v1/events", "application/json", std::move(event));
    acknowledged.push_back(static_cast<double>(bench::nanoseconds_now() - begin) / 1e3);
    CHECK(answer.has_value());
    CHECK_EQ(answer->status, 202);
    // The disk is asked, and the next event published, when nothing of this one is under way: its
    // outcome is written soon after it has been received.
    CHECK(server.wait_until([&] { return sink.received() == index + 1; }, kDrainedWithin));
    server.leave_alone_for(kOutcomeWithin);
    syncs.push_back(file.append_us(bench::kPayloadBytes));
  }
  return {.acknowledged_us = bench::median(acknowledged), .sync_us = bench::median(syncs)};
}

struct Paced {
  double p50_ms = 0;
  double p99_ms = 0;
};

Paced measure_paced(const std::string& directory, double per_second) {
  const bench::WatchingSink sink(bench::FirstAttempts::kAreTaken);
  const bench::Served server(directory + "/server", {"--log.level", "warn"});
  server.subscribe(bench::kTopics, sink.port());
  const uint64_t published = bench::publish_at(
      server, {.per_second = per_second, .length = kPacedLength, .topics = bench::kTopics});
  CHECK(server.wait_until([&] { return sink.received() >= published; }, kDrainedWithin));
  const std::vector<double> late = sink.late_ms();
  return {.p50_ms = bench::percentile(late, 0.50), .p99_ms = bench::percentile(late, 0.99)};
}

Paced median_paced(const std::string& directory, double per_second) {
  std::vector<double> p50;
  std::vector<double> p99;
  for (int round = 0; round < kRounds; ++round) {
    const Paced paced = measure_paced(directory, per_second);
    p50.push_back(paced.p50_ms);
    p99.push_back(paced.p99_ms);
  }
  return {.p50_ms = bench::median(p50), .p99_ms = bench::median(p99)};
}

}  // namespace

int main(int argc, char** argv) {
  const bench::BenchOptions options = bench::parse_options("latency", argc, argv);
  bench::raise_descriptor_limit();
  const bench::Awake awake;
  const Light light = measure_light(options.directory);
  const bench::ThroughputRig rig(options.directory);
  const double most = rig.most_published(bench::Publishing::kSingle);
  const Paced paced = median_paced(options.directory, kLoad * most);
  bench::print_report(
      {.bench = "latency",
       .figures = {{"acknowledged_p50_us", "publish to acknowledgement, alone, p50, us",
                    light.acknowledged_us},
                   {"fdatasync_p50_us", "fdatasync, p50, us", light.sync_us},
                   {"most_per_second", "single publish to receiver at most, per second", most},
                   {"load_per_second", "30% of it", kLoad * most},
                   {"received_p50_ms", "publish to receiver at 30% load, p50, ms", paced.p50_ms}},
       .goals = {{"acknowledged_ratio", "acknowledgement p50, of fdatasync p50",
                  light.acknowledged_us / light.sync_us, 3, bench::Better::kLess},
                 {"received_p99_ms", "publish to receiver at 30% load, p99, ms", paced.p99_ms, 10,
                  bench::Better::kLess}}},
      options);
  return 0;
}
