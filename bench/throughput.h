// How many deliveries a second the whole server makes: wrk publishes as fast as it is answered, and
// a sink receives. And wrk posting the same bodies straight at that sink, which is the limit.
//
// What counts is what the sink has got: the time runs until the last acknowledged event has come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/wrk.h"

namespace bench {

// Endpoints that events go to in turn.
inline constexpr size_t kTopics = 64;

enum class Publishing : uint8_t { kSingle, kLines };

struct Throughput {
  double per_second = 0;
  int connections = 0;       // of wrk
  double server_cpu_us = 0;  // of the server's processor time for each event
};

// A new server on this directory, and a new sink, for each measurement.
class ThroughputRig {
 public:
  explicit ThroughputRig(std::string directory) : directory_(std::move(directory)) {}

  Throughput published(Publishing how, int connections, int seconds) const;
  Throughput straight(int connections, int seconds) const;

  // With how many connections it is most.
  int best_published(Publishing how) const;
  int best_straight() const;
  // Events per second with that many connections, over a few seconds.
  double most_published(Publishing how) const;

 private:
  std::string directory_;
  std::vector<std::string> payloads_ = random_set();

  static std::vector<std::string> random_set();
};

}  // namespace bench
