// A store with ten million waiting deliveries over 100 000 endpoints: what it costs in memory, how
// soon it serves again after kill -9, and whether new events notice.
//
// The backlog is made by a child process that kills itself. Then this process opens the store,
// takes over all shards and loads the first due deliveries of a thousand endpoints. Last, when the
// database has put in order what it was given so fast, it sends new messages through this store and
// through an empty one, by turns.

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "bench/disk.h"
#include "bench/measures.h"
#include "bench/store_load.h"
#include "store/engine.h"

namespace {

using bench::Usage;
using bench::usage_now;

constexpr uint64_t kFanOut = 10;
constexpr uint64_t kBatch = 100;  // events per commit
constexpr uint64_t kCommitsInFlight = 4;
constexpr uint64_t kProbed = 1000;  // endpoints whose first due deliveries are loaded
constexpr uint64_t kTurns = 5;
constexpr double kSettleSeconds = 180;

struct Figures {
  uint64_t waiting = 0;
  double fill_seconds = 0;
  double filled_mib = 0;  // anonymous memory of the process that made the backlog
  double open_seconds = 0;
  double first_due_seconds = 0;  // from the start of opening
  double reopened_mib = 0;
  double settle_seconds = 0;
  // Medians of the turns.
  double empty_per_second = 0;
  double backlog_per_second = 0;
  double ratio = 0;
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Counts calls under way and waits for them.
class Pending {
 public:
  void begin(uint64_t most) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return count_ < most; });
    count_ += 1;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    count_ -= 1;
    wake_.notify_one();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return count_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  uint64_t count_ = 0;
};

// Deliveries to endpoints whose circuit is closed: recorded when they are published.
model::Publish held_event(uint64_t index, const bench::Contents& contents, base::Instant now) {
  model::Publish publish{.event = {index + 1},
                         .tenant = {1},
                         .queued_at = now,
                         .deliveries = {},
                         .content = contents[index % contents.size()]};
  for (uint64_t fan = 0; fan < kFanOut; ++fan) {
    const uint64_t number = (index * kFanOut + fan) % bench::kEndpoints;
    model::Delivery& delivery = publish.deliveries.emplace_back();
    delivery.event = publish.event;
    delivery.endpoint = bench::endpoint_number(number);
    delivery.tenant = bench::tenant_of_endpoint(number);
    delivery.subscription = {number + 1};
    delivery.queued_at = now;
    delivery.due = now;
    delivery.last_slot = now + base::Duration::hours(48);
    delivery.recorded = true;
  }
  return publish;
}

void fill(store::Engine& engine, uint64_t waiting) {
  const bench::Contents contents = bench::make_contents();
  Pending pending;
  for (uint64_t event = 0; event < waiting / kFanOut; event += kBatch) {
    store::Batch batch;
    const base::Instant now = bench::wall_clock_now();
    for (uint64_t index = event; index < event + kBatch; ++index) {
      batch.publishes.push_back(held_event(index, contents, now));
    }
    batch.low_water = event;
    pending.begin(kCommitsInFlight);
    engine.commit(now, std::move(batch), [&pending](const store::BatchResult& result) {
      CHECK(result.publishes.back().status == store::Status::kCommitted);
      pending.end();
    });
  }
  pending.wait();
}

// Writes its memory into the pipe, and dies.
[[noreturn]] void fill_and_die(const std::string& directory, uint64_t waiting, int report) {
  const std::unique_ptr<store::Engine> engine = bench::open_engine(directory);
  fill(*engine, waiting);
  const double mib = bench::anonymous_mib();
  CHECK_EQ(::write(report, &mib, sizeof mib), static_cast<ssize_t>(sizeof mib));
  ::kill(::getpid(), SIGKILL);
  std::abort();
}

void make_backlog(const std::string& directory, Figures& figures) {
  int ends[2] = {};
  CHECK_EQ(::pipe(ends), 0);
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  CHECK_GE(child, 0);
  if (child == 0) {
    fill_and_die(directory, figures.waiting, ends[1]);
  }
  ::close(ends[1]);
  CHECK_EQ(::read(ends[0], &figures.filled_mib, sizeof(double)),
           static_cast<ssize_t>(sizeof(double)));
  ::close(ends[0]);
  int status = 0;
  CHECK_EQ(::waitpid(child, &status, 0), child);
  CHECK(WIFSIGNALED(status));
  figures.fill_seconds = seconds_since(begin);
}

void load_first_due(store::Engine& engine) {
  Pending pending;
  for (uint64_t number = 0; number < kProbed; ++number) {
    pending.begin(64);
    engine.load_due({.endpoint = bench::endpoint_number(number * 97 % bench::kEndpoints),
                     .queue = model::kSharedQueue,
                     .range = model::DueRange::kFirst,
                     .from = {},
                     .until = base::Instant::never(),
                     .limit = 32},
                    [&pending](const model::DuePage& page) {
                      CHECK_EQ(page.deliveries.size(), 32U);
                      pending.end();
                    });
  }
  pending.wait();
}

// Until the process has nothing to do, but no longer than the deadline.
double settle() {
  const auto begin = std::chrono::steady_clock::now();
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  while (seconds_since(begin) < kSettleSeconds) {
    const Usage before = usage_now();
    never.wait_for(lock, std::chrono::seconds(1));
    const Usage usage = usage_now() - before;
    if (usage.cpu_us < usage.wall_us / 50) {
      break;
    }
  }
  return seconds_since(begin);
}

double run_messages(bench::Load& load, uint64_t messages) {
  const Usage before = usage_now();
  load.run(messages);
  return static_cast<double>(messages) / (usage_now() - before).wall_us * 1e6;
}

void compare(bench::Load& empty, bench::Load& backlog, uint64_t messages, Figures& figures) {
  std::vector<double> empty_speeds;
  std::vector<double> backlog_speeds;
  std::vector<double> ratios;
  for (uint64_t turn = 0; turn < kTurns; ++turn) {
    empty_speeds.push_back(run_messages(empty, messages));
    backlog_speeds.push_back(run_messages(backlog, messages));
    ratios.push_back(backlog_speeds.back() / empty_speeds.back());
  }
  figures.empty_per_second = bench::median(empty_speeds);
  figures.backlog_per_second = bench::median(backlog_speeds);
  figures.ratio = bench::median(ratios);
}

void measure(const std::string& directory, uint64_t messages, Figures& figures) {
  const auto begin = std::chrono::steady_clock::now();
  const std::unique_ptr<store::Engine> engine = bench::open_engine(directory + "/full");
  figures.open_seconds = seconds_since(begin);
  const std::vector<model::ShardSnapshot> owned = bench::acquire_all(*engine);
  uint64_t endpoints = 0;
  for (const model::ShardSnapshot& snapshot : owned) {
    endpoints += snapshot.endpoints.size();
  }
  CHECK_EQ(endpoints, bench::kEndpoints);
  load_first_due(*engine);
  figures.first_due_seconds = seconds_since(begin);
  figures.settle_seconds = settle();
  figures.reopened_mib = bench::anonymous_mib();
  bench::Load backlog(*engine, owned, false);
  const std::unique_ptr<store::Engine> other = bench::open_engine(directory + "/empty");
  bench::Load empty(*other, bench::acquire_all(*other), false);
  compare(empty, backlog, messages, figures);
}

void print_table(const Figures& figures) {
  fmt::print("{} waiting deliveries over {} endpoints, made in {:.0f} s\n", figures.waiting,
             bench::kEndpoints, figures.fill_seconds);
  fmt::print("anonymous memory      {:>8.0f} MiB while filling, {:.0f} MiB after (goal <= 1024)\n",
             figures.filled_mib, figures.reopened_mib);
  fmt::print("after kill -9         {:>8.2f} s to open, {:.2f} s to the first due (goal <= 5)\n",
             figures.open_seconds, figures.first_due_seconds);
  fmt::print(
      "new messages          {:>8.0f} per second, empty store {:.0f}, ratio {:.2f} (goal >= "
      "0.9), after {:.0f} s to settle\n",
      figures.backlog_per_second, figures.empty_per_second, figures.ratio, figures.settle_seconds);
}

void print_json(const Figures& figures) {
  fmt::print(
      "{{\"waiting\":{},\"filled_mib\":{:.0f},\"reopened_mib\":{:.0f},\"open_seconds\":{:.3f},"
      "\"first_due_seconds\":{:.3f},\"settle_seconds\":{:.0f},\"throughput_ratio\":{:.3f}}}\n",
      figures.waiting, figures.filled_mib, figures.reopened_mib, figures.open_seconds,
      figures.first_due_seconds, figures.settle_seconds, figures.ratio);
}

}  // namespace

int main(int argc, char** argv) {
  bool wants_json = false;
  uint64_t messages = 300'000;
  Figures figures{.waiting = 10'000'000};
  std::string directory = "build/bench_waiting_data";
  for (int index = 1; index < argc; ++index) {
    const std::string_view word = argv[index];
    if (word == "--json") {
      wants_json = true;
    } else if (word == "--waiting" && index + 1 < argc) {
      figures.waiting = std::stoull(argv[++index]);
    } else if (word == "--messages" && index + 1 < argc) {
      messages = std::stoull(argv[++index]);
    } else if (word == "--directory" && index + 1 < argc) {
      directory = argv[++index];
    } else {
      fmt::print(stderr,
                 "usage: bench_waiting [--json] [--waiting N] [--messages N] [--directory PATH]\n");
      return 2;
    }
  }
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  if (!bench::is_on_a_disk(directory)) {
    fmt::print(stderr, "bench_waiting: {} is not on a disk; choose another --directory\n",
               directory);
    return 1;
  }
  make_backlog(directory + "/full", figures);
  measure(directory, messages, figures);
  std::filesystem::remove_all(directory);
  if (wants_json) {
    print_json(figures);
  } else {
    print_table(figures);
  }
  return 0;
}
