// What a durable message costs: an event and the outcome of its first attempt, through the embedded
// store, beside a plain log that appends the same bytes and syncs them, in the same run.
//
// Counters of 100 000 endpoints are checkpointed every five seconds, hourly rows and conservation
// totals included, as the delivery core does it. Events come 256 to a request. CPU time is that of
// all threads, except what this driver needs to play producer, core and receivers. Store and log
// take turns, and a ratio is the median of the turns', since the machine's speed changes with its
// neighbours. The data directory must be on a real disk.

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "bench/disk.h"
#include "bench/measures.h"
#include "bench/payloads.h"
#include "bench/store_load.h"
#include "store/engine.h"
#include "store/sealed.h"

namespace {

using bench::kPayloadBytes;
using bench::Usage;
using bench::usage_now;

constexpr uint64_t kLogGroup = 256;  // messages per sync of the plain log
constexpr uint64_t kLightCommits = 400;
constexpr uint64_t kRounds = 5;

struct Figures {
  std::string name;
  double messages_per_second = 0;
  double cpu_us = 0;         // per message
  double written_bytes = 0;  // per message
};

Figures figures_of(std::string name, const Usage& usage, uint64_t messages) {
  const auto count = static_cast<double>(messages);
  return {.name = std::move(name),
          .messages_per_second = count / usage.wall_us * 1e6,
          .cpu_us = usage.cpu_us / count,
          .written_bytes = static_cast<double>(usage.written) / count};
}

Figures measure_store(const std::string& directory, bool with_keys, uint64_t messages) {
  const Usage before = usage_now();
  double driver_us = 0;
  {
    const std::unique_ptr<store::Engine> engine = bench::open_engine(directory);
    bench::Load load(*engine, bench::acquire_all(*engine), with_keys);
    load.run(messages);
    driver_us = load.own_cpu_us();
  }
  Usage usage = usage_now() - before;
  usage.cpu_us -= driver_us;
  return figures_of(with_keys ? "store, producer's ids" : "store, server's ids", usage, messages);
}

// The same bytes, with the same checksum, in a file: nothing durable can cost less.
class PlainLog {
 public:
  explicit PlainLog(const std::string& path)
      : file_(::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0600)) {
    CHECK_GE(file_, 0);
  }
  ~PlainLog() { ::close(file_); }
  PlainLog(const PlainLog&) = delete;
  PlainLog& operator=(const PlainLog&) = delete;

  void append(std::string_view payload) {
    std::string event(payload);
    store::seal("event", event);
    std::string outcome(48, 'o');
    store::seal("outcome", outcome);
    buffer_ += event;
    buffer_ += outcome;
  }
  void sync() {
    CHECK_EQ(::write(file_, buffer_.data(), buffer_.size()), static_cast<ssize_t>(buffer_.size()));
    CHECK_EQ(::fdatasync(file_), 0);
    buffer_.clear();
  }

 private:
  int file_;
  std::string buffer_;
};

Figures measure_log(const std::string& directory, uint64_t messages) {
  const bench::Contents contents = bench::make_contents();
  const Usage before = usage_now();
  {
    PlainLog log(directory + "/plain.log");
    for (uint64_t index = 0; index < messages; ++index) {
      log.append(contents[index % contents.size()]->payload);
      if (index % kLogGroup == kLogGroup - 1) {
        log.sync();
      }
    }
    log.sync();
  }
  return figures_of("plain log", usage_now() - before, messages);
}

struct Light {
  double commit_us = 0;
  double sync_us = 0;
};

// By turns, so that both see the same disk.
Light measure_light(const std::string& directory) {
  const std::unique_ptr<store::Engine> engine = bench::open_engine(directory + "/light");
  bench::Load load(*engine, bench::acquire_all(*engine), false);
  PlainLog log(directory + "/light.log");
  const bench::Contents contents = bench::make_contents();
  std::vector<double> commits;
  std::vector<double> syncs;
  for (uint64_t index = 0; index < kLightCommits; ++index) {
    commits.push_back(load.publish_alone_us());
    log.append(contents[index % contents.size()]->payload);
    const auto begin = std::chrono::steady_clock::now();
    log.sync();
    const auto end = std::chrono::steady_clock::now();
    syncs.push_back(std::chrono::duration<double, std::micro>(end - begin).count());
  }
  return {.commit_us = bench::median(commits), .sync_us = bench::median(syncs)};
}

// The same work on the store and on the log, one after the other.
struct Round {
  Figures server;
  Figures producer;
  Figures log;
};

Round measure_round(const std::string& directory, uint64_t messages) {
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  Round round;
  round.server = measure_store(directory + "/server", false, messages);
  round.log = measure_log(directory, messages);
  round.producer = measure_store(directory + "/producer", true, messages);
  return round;
}

// The middle one of each figure.
Figures middle_of(const std::vector<Round>& rounds, Figures Round::* which) {
  const auto middle = [&](double Figures::* figure) {
    std::vector<double> values;
    values.reserve(rounds.size());
    for (const Round& round : rounds) {
      values.push_back((round.*which).*figure);
    }
    return bench::median(values);
  };
  return {.name = (rounds.front().*which).name,
          .messages_per_second = middle(&Figures::messages_per_second),
          .cpu_us = middle(&Figures::cpu_us),
          .written_bytes = middle(&Figures::written_bytes)};
}

double cpu_ratio(const std::vector<Round>& rounds, Figures Round::* which) {
  std::vector<double> ratios;
  ratios.reserve(rounds.size());
  for (const Round& round : rounds) {
    ratios.push_back((round.*which).cpu_us / round.log.cpu_us);
  }
  return bench::median(ratios);
}

constexpr std::array kRows = {&Round::server, &Round::producer, &Round::log};

void print_table(const std::vector<Round>& rounds, const Light& light) {
  fmt::print("{:<24}{:>12}{:>14}{:>20}{:>10}\n", "", "messages/s", "CPU us each",
             "bytes written each", "CPU ratio");
  for (const auto which : kRows) {
    const Figures row = middle_of(rounds, which);
    fmt::print("{:<24}{:>12.0f}{:>14.2f}{:>20.0f}{:>10.2f}\n", row.name, row.messages_per_second,
               row.cpu_us, row.written_bytes, cpu_ratio(rounds, which));
  }
  fmt::print("goal: CPU ratio <= 4 with the server's ids; bytes written <= {}\n",
             3 * kPayloadBytes);
  fmt::print("alone: commit p50 {:.0f} us, fdatasync p50 {:.0f} us, ratio {:.2f} (goal <= 3)\n",
             light.commit_us, light.sync_us, light.commit_us / light.sync_us);
}

void print_json(const std::vector<Round>& rounds, const Light& light) {
  fmt::print("{{\"rows\":[");
  for (size_t index = 0; index < kRows.size(); ++index) {
    const Figures row = middle_of(rounds, kRows[index]);
    fmt::print(
        "{}{{\"name\":\"{}\",\"messages_per_second\":{:.0f},\"cpu_us\":{:.3f},"
        "\"written_bytes\":{:.0f},\"cpu_ratio\":{:.3f}}}",
        index == 0 ? "" : ",", row.name, row.messages_per_second, row.cpu_us, row.written_bytes,
        cpu_ratio(rounds, kRows[index]));
  }
  fmt::print("],\"commit_p50_us\":{:.0f},\"fdatasync_p50_us\":{:.0f}}}\n", light.commit_us,
             light.sync_us);
}

}  // namespace

int main(int argc, char** argv) {
  bool wants_json = false;
  uint64_t messages = 1'000'000;  // a round
  std::string directory = "build/bench_store_data";
  for (int index = 1; index < argc; ++index) {
    const std::string_view word = argv[index];
    if (word == "--json") {
      wants_json = true;
    } else if (word == "--messages" && index + 1 < argc) {
      messages = std::stoull(argv[++index]);
    } else if (word == "--directory" && index + 1 < argc) {
      directory = argv[++index];
    } else {
      fmt::print(stderr, "usage: bench_store [--json] [--messages N] [--directory PATH]\n");
      return 2;
    }
  }
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  if (!bench::is_on_a_disk(directory)) {
    fmt::print(stderr, "bench_store: {} is not on a disk; choose another --directory\n", directory);
    return 1;
  }
  const Light light = measure_light(directory);
  std::vector<Round> rounds;
  rounds.reserve(kRounds);
  for (uint64_t number = 0; number < kRounds; ++number) {
    rounds.push_back(measure_round(directory, messages));
  }
  std::filesystem::remove_all(directory);
  if (wants_json) {
    print_json(rounds, light);
  } else {
    print_table(rounds, light);
  }
  return 0;
}
