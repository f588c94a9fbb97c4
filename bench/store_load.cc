#include "bench/store_load.h"

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <utility>

#include "base/check.h"
#include "bench/payloads.h"

namespace bench {
namespace {

using base::Instant;

constexpr uint64_t kPayloads = 1024;
constexpr uint64_t kInFlight = 4096;
constexpr uint64_t kGroup = 256;  // events of one request

double microseconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
}

double thread_cpu_us() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

model::Attempt attempt_of(const model::Delivery& delivery, uint64_t ordinal) {
  return {.delivery = delivery.id,
          .endpoint = delivery.endpoint,
          .number = 1,
          .ordinal = ordinal,
          .lane = model::Lane::kFresh,
          .is_probe = false,
          .started_at = delivery.queued_at,
          .finished_at = delivery.queued_at + base::Duration::ms(20),
          .outcome = {.kind = model::OutcomeKind::kResponse, .status = 200}};
}

}  // namespace

Usage usage_now() {
  Usage usage;
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  usage.cpu_us = microseconds(own.ru_utime) + microseconds(own.ru_stime);
  usage.wall_us =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch())
          .count();
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

Instant wall_clock_now() {
  return Instant::from_ms(std::chrono::duration_cast<std::chrono::milliseconds>(
                              std::chrono::system_clock::now().time_since_epoch())
                              .count());
}

base::EndpointId endpoint_number(uint64_t number) {
  return base::EndpointId::make(static_cast<base::ShardId>(base::mix(number)), number + 1);
}

base::TenantId tenant_of_endpoint(uint64_t number) { return {1 + number % 1000}; }

Contents make_contents() {
  base::Prng prng(1);
  Contents contents;
  for (uint64_t index = 0; index < kPayloads; ++index) {
    model::Event event;
    event.tenant = {1};
    event.type = "order.updated";
    event.object_code = "ORDER";
    event.object_id = "4711";
    event.payload = random_json(prng);
    contents.push_back(std::make_shared<const model::Event>(std::move(event)));
  }
  return contents;
}

std::unique_ptr<store::Engine> open_engine(const std::string& directory) {
  auto engine = store::Engine::open({.directory = directory});
  if (!engine.has_value()) {
    fmt::print(stderr, "{}\n", engine.error().detail);
    std::_Exit(1);
  }
  return *std::move(engine);
}

std::vector<model::ShardSnapshot> acquire_all(store::Engine& engine) {
  std::vector<base::ShardId> shards(base::kShardCount);
  for (uint32_t shard = 0; shard < base::kShardCount; ++shard) {
    shards[shard] = static_cast<base::ShardId>(shard);
  }
  std::mutex mutex;
  std::condition_variable wake;
  std::vector<model::ShardSnapshot> owned;
  engine.acquire(shards, [&](std::vector<model::ShardSnapshot> snapshots) {
    const std::lock_guard lock(mutex);
    owned = std::move(snapshots);
    wake.notify_one();
  });
  std::unique_lock lock(mutex);
  wake.wait(lock, [&] { return !owned.empty(); });
  return owned;
}

Load::Load(store::Engine& engine, const std::vector<model::ShardSnapshot>& owned, bool with_keys)
    : begin_us_(thread_cpu_us()), engine_(engine), with_keys_(with_keys) {
  for (const model::ShardSnapshot& snapshot : owned) {
    epochs_[snapshot.shard] = snapshot.epoch;
  }
  records_.resize(kEndpoints);
  for (uint64_t number = 0; number < kEndpoints; ++number) {
    records_[number].id = endpoint_number(number);
    records_[number].tenant = tenant_of_endpoint(number);
  }
}

void Load::run(uint64_t messages) {
  const uint64_t goal = delivered_ + messages;
  auto last_checkpoint = std::chrono::steady_clock::now();
  while (delivered_ < goal) {
    while (published_ < goal && published_ - delivered_ < kInFlight) {
      publish(std::min({kGroup, goal - published_, kInFlight - (published_ - delivered_)}));
    }
    deliver(wait_for_queued());
    if (std::chrono::steady_clock::now() - last_checkpoint > std::chrono::seconds(5)) {
      checkpoint();
      last_checkpoint = std::chrono::steady_clock::now();
    }
  }
  checkpoint();
}

void Load::commit(Instant at, store::Batch batch, std::function<void(store::BatchResult)> done) {
  const double before = thread_cpu_us();
  engine_.commit(at, std::move(batch), std::move(done));
  inside_us_ += thread_cpu_us() - before;
}

double Load::own_cpu_us() const { return thread_cpu_us() - begin_us_ - inside_us_; }

double Load::publish_alone_us() {
  const auto begin = std::chrono::steady_clock::now();
  publish(1);
  const std::vector<model::Delivery> queued = wait_for_queued();
  const auto end = std::chrono::steady_clock::now();
  deliver(queued);
  while (delivered_ < published_) {
    deliver(wait_for_queued());
  }
  return std::chrono::duration<double, std::micro>(end - begin).count();
}

model::Publish Load::next_publish(Instant now) {
  const uint64_t number = prng_.below(kEndpoints);
  model::Publish publish{.event = {published_ + 1},
                         .tenant = tenant_of_endpoint(number),
                         .queued_at = now,
                         .deliveries = {},
                         .content = contents_[published_ % kPayloads]};
  model::Delivery& delivery = publish.deliveries.emplace_back();
  delivery.event = publish.event;
  delivery.endpoint = endpoint_number(number);
  delivery.tenant = publish.tenant;
  delivery.subscription = {number + 1};
  delivery.queued_at = now;
  delivery.due = now;
  delivery.last_slot = now + base::Duration::hours(48);
  if (with_keys_) {
    publish.unique_key = fmt::format("order-{:016x}", prng_.next());
  }
  published_ += 1;
  return publish;
}

void Load::publish(uint64_t count) {
  const Instant now = wall_clock_now();
  store::Batch batch;
  batch.publishes.reserve(count);
  for (uint64_t index = 0; index < count; ++index) {
    batch.publishes.push_back(next_publish(now));
  }
  commit(now, std::move(batch), [this](const store::BatchResult& result) {
    const std::lock_guard lock(mutex_);
    for (const store::PublishResult& published : result.publishes) {
      CHECK(published.status == store::Status::kCommitted);
      queued_.push_back(published.deliveries.front());
    }
    wake_.notify_one();
  });
}

std::vector<model::Delivery> Load::wait_for_queued() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return !queued_.empty() || ended_ > 0; });
  delivered_ += std::exchange(ended_, 0);
  return std::exchange(queued_, {});
}

// As the dispatcher does it: a section for each outcome, and all that one turn of its loop brought
// in one batch.
void Load::deliver(const std::vector<model::Delivery>& queued) {
  if (queued.empty()) {
    return;
  }
  store::Batch batch;
  batch.sections.reserve(queued.size());
  for (const model::Delivery& delivery : queued) {
    batch.sections.push_back(outcome_of(delivery));
    low_water_ = std::max(low_water_, delivery.id.sequence());
  }
  commit(queued.back().queued_at, std::move(batch), [this](const store::BatchResult& result) {
    const std::lock_guard lock(mutex_);
    for (const store::SectionResult& section : result.sections) {
      CHECK(section.status == store::Status::kCommitted);
    }
    ended_ += result.sections.size();
    wake_.notify_one();
  });
}

model::Section Load::outcome_of(const model::Delivery& delivery) {
  const uint64_t number = delivery.subscription.value - 1;
  model::EndpointRecord& record = records_[number];
  record.successes += 1;
  record.last_success_at = delivery.queued_at;
  record.last_queued = std::max(record.last_queued, delivery.id);
  if (!is_dirty_[number]) {
    is_dirty_[number] = true;
    dirty_.push_back(number);
  }
  model::Section section = next_section(delivery.endpoint);
  section.deliveries.push_back({.delivery = delivery.id,
                                .attempt = attempt_of(delivery, record.attempts()),
                                .removed = {},
                                .placed = {},
                                .end = model::EndState::kDelivered,
                                .owner = owner_of(delivery)});
  return section;
}

model::Section Load::next_section(base::EndpointId endpoint) {
  const base::ShardId shard = endpoint.shard();
  return {.shard = shard, .epoch = epochs_[shard], .number = ++numbers_[shard]};
}

void Load::checkpoint() {
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
  commit(wall_clock_now(), std::move(batch), [](const store::BatchResult&) {});
}

}  // namespace bench
