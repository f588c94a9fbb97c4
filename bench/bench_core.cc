// How much the delivery core costs by itself: whole lives of deliveries per second on one core, and
// bytes per idle endpoint. A life is queued, started, finished (one in five fails), committed, at a
// random endpoint with history. The store and the receivers are played here and cost next to
// nothing.
//
// CPU time, not wall time, so that a busy machine does not blur it; the limit of the large case is
// the small case of the same run.

#include <fmt/core.h>
#include <malloc.h>

#include <ctime>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/prng.h"
#include "core/delivery_core.h"

namespace {

using base::Duration;
using base::Instant;

constexpr Instant kStart = Instant::from_ms(1'790'000'000'000);
constexpr uint64_t kSmall = 10'000;
constexpr uint64_t kLarge = 1'000'000;
constexpr uint64_t kLives = 3'000'000;
constexpr uint64_t kInFlight = 512;    // lives under way at once
constexpr uint64_t kLivesPerMs = 300;  // how fast virtual time goes by
constexpr uint64_t kStepsPerLife = 3;  // queued, finished, committed

struct Figures {
  uint64_t endpoints = 0;
  double lives_per_second = 0;
  double step_ns = 0;
  double idle_bytes = 0;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

base::EndpointId endpoint_number(uint64_t number) {
  return base::EndpointId::make(static_cast<base::ShardId>(base::mix(number)), number + 1);
}

// An endpoint that has been working for a while.
model::EndpointRecord record_with_history(uint64_t number) {
  model::EndpointRecord record;
  record.id = endpoint_number(number);
  record.tenant = {1 + number % 1000};
  record.successes = 800 + number % 100;
  record.failures = 200;
  record.since_enable = {.attempts = 1000, .failures = 200};
  record.window.newest_hour = kStart.hour();
  record.window.buckets.fill({.attempts = 40, .failures = 8});
  record.first_attempt_at = kStart - Duration::hours(100);
  record.last_success_at = kStart - Duration::minutes(1);
  return record;
}

class Bench {
 public:
  explicit Bench(uint64_t endpoints) : endpoints_(endpoints), core_({}) {}

  // Bytes of memory per endpoint that has nothing to do.
  double acquire() {
    const size_t before = mallinfo2().uordblks;
    for (uint32_t shard = 0; shard < base::kShardCount; ++shard) {
      core::ShardAcquired input;
      input.snapshot.shard = static_cast<base::ShardId>(shard);
      input.snapshot.epoch = 1;
      for (uint64_t number = 0; number < endpoints_; ++number) {
        if (endpoint_number(number).shard() == shard) {
          input.snapshot.endpoints.push_back({.record = record_with_history(number)});
        }
      }
      step(input);
    }
    return static_cast<double>(mallinfo2().uordblks - before) / static_cast<double>(endpoints_);
  }

  void live(uint64_t lives) {
    for (uint64_t life = 0; life < lives; ++life) {
      if (life % kLivesPerMs == 0) {
        now_ = now_ + Duration::ms(1);
      }
      queue_one();
      if (started_.size() > kInFlight) {
        finish_one();
      }
      while (submitted_.size() > kInFlight / 2) {
        commit_one();
      }
    }
  }

  const core::DeliveryCore& core() const { return core_; }

 private:
  void step(const core::Input& input) {
    effects_.clear();
    core_.step(now_, input, effects_);
    for (core::Effect& effect : effects_) {
      if (const auto* start = std::get_if<core::StartAttempt>(&effect)) {
        started_.push_back(start->token);
      } else if (const auto* commit = std::get_if<core::Commit>(&effect)) {
        submitted_.emplace_back(commit->section.shard, commit->section.number);
      }
    }
  }

  void queue_one() {
    const uint64_t number = prng_.below(endpoints_);
    model::Delivery& delivery = queued_.deliveries.front();
    delivery.id = base::DeliveryId::make(++sequence_, 0);
    delivery.event = {sequence_};
    delivery.endpoint = endpoint_number(number);
    delivery.tenant = {1 + number % 1000};
    delivery.subscription = {1 + number};
    delivery.queued_at = now_;
    delivery.due = now_;
    delivery.last_slot = now_ + Duration::ms(173'585'600);
    input_ = queued_;
    step(input_);
  }

  void finish_one() {
    const bool fails = prng_.chance(20);
    const model::Outcome outcome{.status = static_cast<uint16_t>(fails ? 503 : 200)};
    const core::AttemptToken token = started_.front();
    started_.pop_front();
    step(core::AttemptFinished{.token = token, .outcome = outcome});
  }

  void commit_one() {
    const auto [shard, number] = submitted_.front();
    submitted_.pop_front();
    step(core::SectionDone{.shard = shard, .number = number});
  }

  uint64_t endpoints_;
  core::DeliveryCore core_;
  base::Prng prng_{1};
  Instant now_ = kStart;
  base::Sequence sequence_ = 0;
  core::DeliveriesQueued queued_{.deliveries = std::vector<model::Delivery>(1)};
  core::Input input_;
  core::Effects effects_;
  std::deque<core::AttemptToken> started_;
  std::deque<std::pair<base::ShardId, uint64_t>> submitted_;
};

Figures measure(uint64_t endpoints) {
  auto bench = std::make_unique<Bench>(endpoints);
  Figures figures{.endpoints = endpoints};
  figures.idle_bytes = bench->acquire();
  bench->live(kLives / 10);
  const double before = cpu_seconds();
  bench->live(kLives);
  const double seconds = cpu_seconds() - before;
  figures.lives_per_second = static_cast<double>(kLives) / seconds;
  figures.step_ns = seconds * 1e9 / static_cast<double>(kLives * kStepsPerLife);
  return figures;
}

void print_table(const Figures& small, const Figures& large) {
  fmt::print("{:<12} {:>14} {:>12} {:>22}\n", "endpoints", "lives/s", "ns/step",
             "bytes/idle endpoint");
  for (const Figures& row : {small, large}) {
    fmt::print("{:<12} {:>14.0f} {:>12.0f} {:>22.0f}\n", row.endpoints, row.lives_per_second,
               row.step_ns, row.idle_bytes);
  }
  fmt::print("\n{:<52} {:>10} {:>10}\n", "goal", "measured", "limit");
  fmt::print("{:<52} {:>10.0f} {:>10}\n", "lives per second at 10 000 endpoints, at least",
             small.lives_per_second, 300'000);
  fmt::print("{:<52} {:>10.2f} {:>10}\n", "cost at 1 000 000 endpoints / at 10 000, at most",
             large.step_ns / small.step_ns, 2);
  fmt::print("{:<52} {:>10.0f} {:>10}\n", "  or ns per step, at most", large.step_ns, 1000);
  fmt::print("{:<52} {:>10.0f} {:>10}\n", "bytes per idle endpoint, at most", large.idle_bytes,
             512);
}

void print_json(const Figures& small, const Figures& large) {
  fmt::print(
      "{{\"bench\":\"core\",\"lives_per_second_10k\":{:.0f},\"step_ns_10k\":{:.0f},"
      "\"step_ns_1m\":{:.0f},\"cost_ratio\":{:.3f},\"idle_endpoint_bytes\":{:.0f}}}\n",
      small.lives_per_second, small.step_ns, large.step_ns, large.step_ns / small.step_ns,
      large.idle_bytes);
}

}  // namespace

int main(int argc, char** argv) {
  const bool wants_json = argc > 1 && std::string_view(argv[1]) == "--json";
  const Figures small = measure(kSmall);
  const Figures large = measure(kLarge);
  if (wants_json) {
    print_json(small, large);
  } else {
    print_table(small, large);
  }
  return 0;
}
