// What a durable message costs: an event and the outcome of its first attempt, through the embedded
// store, beside a plain log that appends the same bytes and syncs them, in the same run.
//
// Counters of 100 000 endpoints are checkpointed every five seconds, hourly rows and conservation
// totals included, as the delivery core does it. CPU time is that of the whole process, with this
// driver in it, for the store and for the log alike. The data directory must be on a real disk.

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/prng.h"
#include "store/engine.h"
#include "store/sealed.h"

namespace {

using base::Instant;

constexpr uint64_t kEndpoints = 100'000;
constexpr uint64_t kPayloads = 1024;
constexpr uint64_t kPayloadBytes = 1024;
constexpr uint64_t kInFlight = 4096;
constexpr uint64_t kLogGroup = 256;  // messages per sync of the plain log
constexpr uint64_t kLightCommits = 400;
constexpr Instant kStart = Instant::from_ms(1'790'000'000'000);

struct Usage {
  double cpu_us = 0;
  double wall_us = 0;
  uint64_t written = 0;  // bytes that went to the disk
};

Usage usage_now() {
  Usage usage;
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  const auto us = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
  };
  usage.cpu_us = us(own.ru_utime) + us(own.ru_stime);
  usage.wall_us = static_cast<double>(std::chrono::duration_cast<std::chrono::microseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
  std::ifstream io("/proc/self/io");
  std::string word;
  while (io >> word) {
    if (word == "write_bytes:") {
      io >> usage.written;
    }
  }
  return usage;
}

Usage operator-(const Usage& after, const Usage& before) {
  return {.cpu_us = after.cpu_us - before.cpu_us,
          .wall_us = after.wall_us - before.wall_us,
          .written = after.written - before.written};
}

// JSON of words that do not repeat much.
std::string random_json(base::Prng& prng) {
  std::string text = "{";
  while (text.size() < kPayloadBytes - 40) {
    text += fmt::format("\"{:x}\":\"{:016x}\",", prng.below(4096), prng.next());
  }
  text += "\"pad\":\"";
  text.append(kPayloadBytes - 2 - text.size(), 'x');
  return text + "\"}";
}

std::vector<std::shared_ptr<const model::Event>> make_contents() {
  base::Prng prng(1);
  std::vector<std::shared_ptr<const model::Event>> contents;
  for (uint64_t index = 0; index < kPayloads; ++index) {
    contents.push_back(std::make_shared<model::Event>(model::Event{.tenant = {1},
                                                                   .id = {},
                                                                   .type = "order.updated",
                                                                   .object_code = "ORDER",
                                                                   .object_id = "4711",
                                                                   .payload = random_json(prng)}));
  }
  return contents;
}

base::EndpointId endpoint_number(uint64_t number) {
  return base::EndpointId::make(static_cast<base::ShardId>(base::mix(number)), number + 1);
}

// Plays producer, core and receivers for the store.
class Load {
 public:
  Load(store::Engine& engine, bool with_keys) : engine_(engine), with_keys_(with_keys) {
    std::vector<base::ShardId> shards(base::kShardCount);
    for (uint32_t shard = 0; shard < base::kShardCount; ++shard) {
      shards[shard] = static_cast<base::ShardId>(shard);
    }
    std::unique_lock lock(mutex_);
    bool is_ready = false;
    engine_.acquire(shards, [&](std::vector<model::ShardSnapshot> snapshots) {
      const std::lock_guard guard(mutex_);
      for (const model::ShardSnapshot& snapshot : snapshots) {
        epochs_[snapshot.shard] = snapshot.epoch;
      }
      is_ready = true;
      wake_.notify_one();
    });
    wake_.wait(lock, [&] { return is_ready; });
    records_.resize(kEndpoints);
    for (uint64_t number = 0; number < kEndpoints; ++number) {
      records_[number].id = endpoint_number(number);
      records_[number].tenant = {1 + number % 1000};
    }
  }

  // Sends this many messages through their whole life.
  void run(uint64_t messages) {
    const uint64_t goal = delivered_ + messages;
    auto last_checkpoint = std::chrono::steady_clock::now();
    while (delivered_ < goal) {
      while (published_ < goal && published_ - delivered_ < kInFlight) {
        publish();
      }
      deliver_queued(wait_for_queued());
      if (std::chrono::steady_clock::now() - last_checkpoint > std::chrono::seconds(5)) {
        checkpoint();
        last_checkpoint = std::chrono::steady_clock::now();
      }
    }
    checkpoint();
  }

  // One message alone: from the call to the acknowledgement.
  double publish_alone_us() {
    const auto begin = std::chrono::steady_clock::now();
    publish();
    std::vector<model::Delivery> queued;
    while (queued.empty()) {
      queued = wait_for_queued();
    }
    const auto end = std::chrono::steady_clock::now();
    deliver_queued(std::move(queued));
    while (delivered_ < published_) {
      deliver_queued(wait_for_queued());
    }
    return std::chrono::duration<double, std::micro>(end - begin).count();
  }

 private:
  void publish() {
    const uint64_t number = prng_.below(kEndpoints);
    model::Delivery delivery;
    delivery.event = {published_ + 1};
    delivery.endpoint = endpoint_number(number);
    delivery.tenant = records_[number].tenant;
    delivery.subscription = {number + 1};
    delivery.queued_at = now();
    delivery.due = delivery.queued_at;
    delivery.last_slot = delivery.queued_at + base::Duration::hours(48);
    model::Publish publish{.event = delivery.event,
                           .tenant = delivery.tenant,
                           .queued_at = delivery.queued_at,
                           .deliveries = {delivery},
                           .content = contents_[published_ % kPayloads]};
    if (with_keys_) {
      publish.unique_key = fmt::format("order-{:016x}", prng_.next());
    }
    published_ += 1;
    store::Batch batch;
    batch.publishes.push_back(std::move(publish));
    engine_.commit(now(), std::move(batch), [this](store::BatchResult result) {
      CHECK(result.publishes.front().status == store::Status::kCommitted);
      const std::lock_guard lock(mutex_);
      queued_.push_back(result.publishes.front().deliveries.front());
      if (queued_.size() == 1) {
        wake_.notify_one();
      }
    });
  }

  std::vector<model::Delivery> wait_for_queued() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return !queued_.empty() || ended_ > 0; });
    delivered_ += std::exchange(ended_, 0);
    return std::exchange(queued_, {});
  }

  void deliver_queued(std::vector<model::Delivery> queued) {
    for (const model::Delivery& delivery : queued) {
      const uint64_t number = delivery.subscription.value - 1;
      model::EndpointRecord& record = records_[number];
      record.successes += 1;
      record.last_success_at = now();
      record.last_queued = std::max(record.last_queued, delivery.id);
      if (!is_dirty_[number]) {
        is_dirty_[number] = true;
        dirty_.push_back(number);
      }
      store::Batch batch;
      model::Section& section = batch.sections.emplace_back(next_section(delivery.endpoint));
      section.deliveries.push_back({.delivery = delivery.id,
                                    .attempt = attempt_of(delivery, record.attempts()),
                                    .removed = {},
                                    .placed = {},
                                    .end = model::EndState::kDelivered,
                                    .owner = owner_of(delivery)});
      engine_.commit(now(), std::move(batch), [this](const store::BatchResult& result) {
        CHECK(result.sections.front().status == store::Status::kCommitted);
        const std::lock_guard lock(mutex_);
        ended_ += 1;
        if (ended_ == 1) {
          wake_.notify_one();
        }
      });
      low_water_ = std::max(low_water_, delivery.id.sequence());
    }
  }

  static model::Attempt attempt_of(const model::Delivery& delivery, uint64_t ordinal) {
    return {.delivery = delivery.id,
            .endpoint = delivery.endpoint,
            .number = 1,
            .ordinal = ordinal,
            .lane = model::Lane::kFresh,
            .is_probe = false,
            .started_at = delivery.queued_at,
            .finished_at = delivery.queued_at + base::Duration::ms(20),
            .outcome = {.kind = model::OutcomeKind::kResponse, .status = 200, .retry_after = {}}};
  }

  model::Section next_section(base::EndpointId endpoint) {
    const base::ShardId shard = endpoint.shard();
    return {.shard = shard, .epoch = epochs_[shard], .number = ++numbers_[shard]};
  }

  void checkpoint() {
    std::array<std::vector<uint64_t>, base::kShardCount> by_shard;
    for (const uint64_t number : dirty_) {
      by_shard[records_[number].id.shard()].push_back(number);
      is_dirty_[number] = false;
    }
    dirty_.clear();
    store::Batch batch;
    for (const std::vector<uint64_t>& numbers : by_shard) {
      if (numbers.empty()) {
        continue;
      }
      model::Section& section =
          batch.sections.emplace_back(next_section(records_[numbers.front()].id));
      for (const uint64_t number : numbers) {
        section.endpoints.push_back(records_[number]);
      }
    }
    batch.low_water = low_water_ > kInFlight ? low_water_ - kInFlight : 0;
    engine_.commit(now(), std::move(batch), [](const store::BatchResult&) {});
  }

  static Instant now() {
    return Instant::from_ms(std::chrono::duration_cast<std::chrono::milliseconds>(
                                std::chrono::system_clock::now().time_since_epoch())
                                .count());
  }

  store::Engine& engine_;
  bool with_keys_;
  base::Prng prng_{7};
  std::vector<std::shared_ptr<const model::Event>> contents_ = make_contents();
  std::array<uint64_t, base::kShardCount> epochs_{};
  std::array<uint64_t, base::kShardCount> numbers_{};
  std::vector<model::EndpointRecord> records_;
  std::vector<bool> is_dirty_ = std::vector<bool>(kEndpoints);
  std::vector<uint64_t> dirty_;
  uint64_t published_ = 0;
  uint64_t delivered_ = 0;
  base::Sequence low_water_ = 0;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<model::Delivery> queued_;
  uint64_t ended_ = 0;
};

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

std::unique_ptr<store::Engine> open_engine(const std::string& directory) {
  std::filesystem::remove_all(directory);
  auto engine = store::Engine::open({.directory = directory});
  if (!engine.has_value()) {
    fmt::print(stderr, "bench_store: {}\n", engine.error().detail);
    std::exit(1);
  }
  return *std::move(engine);
}

Figures measure_store(const std::string& directory, bool with_keys, uint64_t messages) {
  const Usage before = usage_now();
  {
    const std::unique_ptr<store::Engine> engine = open_engine(directory);
    Load load(*engine, with_keys);
    load.run(messages);
  }
  return figures_of(with_keys ? "store, producer's ids" : "store, server's ids",
                    usage_now() - before, messages);
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
  const auto contents = make_contents();
  const Usage before = usage_now();
  {
    PlainLog log(directory + "/plain.log");
    for (uint64_t index = 0; index < messages; ++index) {
      log.append(contents[index % kPayloads]->payload);
      if (index % kLogGroup == kLogGroup - 1) {
        log.sync();
      }
    }
    log.sync();
  }
  return figures_of("plain log", usage_now() - before, messages);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Light {
  double commit_us = 0;
  double sync_us = 0;
};

// By turns, so that both see the same disk.
Light measure_light(const std::string& directory) {
  const std::unique_ptr<store::Engine> engine = open_engine(directory + "/light");
  Load load(*engine, false);
  PlainLog log(directory + "/light.log");
  const auto contents = make_contents();
  std::vector<double> commits;
  std::vector<double> syncs;
  for (uint64_t index = 0; index < kLightCommits; ++index) {
    commits.push_back(load.publish_alone_us());
    log.append(contents[index % kPayloads]->payload);
    const auto begin = std::chrono::steady_clock::now();
    log.sync();
    const auto end = std::chrono::steady_clock::now();
    syncs.push_back(std::chrono::duration<double, std::micro>(end - begin).count());
  }
  return {.commit_us = median(commits), .sync_us = median(syncs)};
}

void print_table(const std::vector<Figures>& rows, const Light& light) {
  fmt::print("{:<24}{:>12}{:>14}{:>18}{:>10}\n", "", "messages/s", "CPU us each",
             "bytes written each", "CPU ratio");
  const Figures& limit = rows.back();
  for (const Figures& row : rows) {
    fmt::print("{:<24}{:>12.0f}{:>14.2f}{:>18.0f}{:>10.2f}\n", row.name, row.messages_per_second,
               row.cpu_us, row.written_bytes, row.cpu_us / limit.cpu_us);
  }
  fmt::print("goal: CPU ratio <= 4 with the server's ids; bytes written <= {}\n",
             3 * kPayloadBytes);
  fmt::print("alone: commit p50 {:.0f} us, fdatasync p50 {:.0f} us, ratio {:.2f} (goal <= 3)\n",
             light.commit_us, light.sync_us, light.commit_us / light.sync_us);
}

void print_json(const std::vector<Figures>& rows, const Light& light) {
  fmt::print("{{\"rows\":[");
  for (size_t index = 0; index < rows.size(); ++index) {
    fmt::print(
        "{}{{\"name\":\"{}\",\"messages_per_second\":{:.0f},\"cpu_us\":{:.3f},"
        "\"written_bytes\":{:.0f}}}",
        index == 0 ? "" : ",", rows[index].name, rows[index].messages_per_second,
        rows[index].cpu_us, rows[index].written_bytes);
  }
  fmt::print("],\"cpu_ratio\":{:.3f},\"commit_p50_us\":{:.0f},\"fdatasync_p50_us\":{:.0f}}}\n",
             rows.front().cpu_us / rows.back().cpu_us, light.commit_us, light.sync_us);
}

bool is_on_a_disk(const std::string& directory) {
  constexpr long kTmpfs = 0x01021994;
  struct statfs place{};
  return statfs(directory.c_str(), &place) == 0 && place.f_type != kTmpfs;
}

}  // namespace

int main(int argc, char** argv) {
  bool wants_json = false;
  uint64_t messages = 1'000'000;
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
  std::filesystem::create_directories(directory);
  if (!is_on_a_disk(directory)) {
    fmt::print(stderr, "bench_store: {} is not on a disk; choose another --directory\n", directory);
    return 1;
  }
  std::vector<Figures> rows;
  rows.push_back(measure_store(directory + "/server", false, messages));
  rows.push_back(measure_store(directory + "/producer", true, messages));
  rows.push_back(measure_log(directory, messages));
  const Light light = measure_light(directory);
  std::filesystem::remove_all(directory);
  if (wants_json) {
    print_json(rows, light);
  } else {
    print_table(rows, light);
  }
  return 0;
}
