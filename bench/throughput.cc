#include "bench/throughput.h"

#include <fmt/format.h>

#include <array>

#include "base/check.h"
#include "bench/payloads.h"
#include "bench/served.h"
#include "bench/watching_sink.h"

namespace bench {
namespace {

constexpr size_t kPayloads = 1024;
constexpr size_t kLinesPerRequest = 100;
constexpr int kTrialSeconds = 2;
constexpr int kMostSeconds = 4;
constexpr base::Duration kDrainedWithin = base::Duration::minutes(2);
constexpr std::array kSingleConnections = {16, 64, 256};
constexpr std::array kLinesConnections = {4, 8, 16, 32};
constexpr std::array kStraightConnections = {8, 16, 32, 64, 128, 256};

std::vector<std::string> single_bodies(const std::vector<std::string>& payloads) {
  std::vector<std::string> bodies;
  bodies.reserve(payloads.size());
  for (const std::string& payload : payloads) {
    bodies.push_back(event_of(bodies.size() % kTopics, payload));
  }
  return bodies;
}

std::vector<std::string> line_bodies(const std::vector<std::string>& payloads) {
  std::vector<std::string> bodies;
  const std::vector<std::string> events = single_bodies(payloads);
  for (size_t first = 0; first + kLinesPerRequest <= events.size(); first += kLinesPerRequest) {
    std::string& body = bodies.emplace_back();
    for (size_t line = 0; line < kLinesPerRequest; ++line) {
      body += events[first + line] + "\n";
    }
  }
  return bodies;
}

}  // namespace

std::vector<std::string> ThroughputRig::random_set() { return random_payloads(kPayloads); }

Throughput ThroughputRig::published(Publishing how, int connections, int seconds) const {
  const bool has_lines = how == Publishing::kLines;
  const WatchingSink sink(FirstAttempts::kAreTaken);
  const Served server(directory_ + "/server", {"--log.level", "warn"});
  server.subscribe(kTopics, sink.port());
  const WrkScript script(
      producer_headers(server.key(), has_lines ? "application/x-ndjson" : "application/json"),
      has_lines ? line_bodies(payloads_) : single_bodies(payloads_));

  const double idle_cpu_seconds = server.cpu_seconds();
  const WrkRun run =
      run_wrk(server.url("/v1/events"), script, {.connections = connections, .seconds = seconds});
  const int64_t published_ns = nanoseconds_now();
  const double events = run.requests * (has_lines ? static_cast<double>(kLinesPerRequest) : 1.0);
  CHECK(server.wait_until([&] { return static_cast<double>(sink.received()) >= events; },
                          kDrainedWithin));
  const double drain_seconds = static_cast<double>(nanoseconds_now() - published_ns) / 1e9;
  return {.per_second = events / (run.wall_seconds + drain_seconds),
          .connections = connections,
          .server_cpu_us = (server.cpu_seconds() - idle_cpu_seconds) * 1e6 / events};
}

Throughput ThroughputRig::straight(int connections, int seconds) const {
  const WatchingSink sink(FirstAttempts::kAreTaken);
  const WrkScript script(delivery_headers(), payloads_);
  const WrkRun run = run_wrk(fmt::format("http://127.0.0.1:{}/hook/0", sink.port()), script,
                             {.connections = connections, .seconds = seconds});
  return {.per_second = run.per_second(), .connections = connections, .server_cpu_us = 0};
}

int ThroughputRig::best_published(Publishing how) const {
  const auto rate = [&](int connections) {
    return published(how, connections, kTrialSeconds).per_second;
  };
  return how == Publishing::kLines ? best_connections(kLinesConnections, rate)
                                   : best_connections(kSingleConnections, rate);
}

int ThroughputRig::best_straight() const {
  return best_connections(kStraightConnections, [&](int connections) {
    return straight(connections, kTrialSeconds).per_second;
  });
}

double ThroughputRig::most_published(Publishing how) const {
  return published(how, best_published(how), kMostSeconds).per_second;
}

}  // namespace bench
