// A data directory beside the test's binary, an engine on it, and short ways to fill it: what the
// tests of audit, retention, backup and erase have in common.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "store/data_directory.h"
#include "store/database.h"
#include "store/engine.h"

namespace store {

inline constexpr base::Instant kRigStart = base::Instant::from_ms(1'790'000'000'000);

// Below the build folder, wherever the test was started from: a real disk, unlike /tmp.
inline std::filesystem::path rig_root() {
  static int last = 0;
  const std::filesystem::path binary = std::filesystem::read_symlink("/proc/self/exe");
  return binary.parent_path() /
         ("upkeep." + std::to_string(::getpid()) + "." + std::to_string(++last));
}

// What an event and its deliveries, mostly one, are like.
struct RigEvent {
  uint64_t tenant = 1;
  uint64_t endpoint = 1;
  uint64_t object = 0;
  bool recorded = false;
  std::string payload = {};
  std::string unique_key = {};
  std::string type = "test";
  uint32_t fan_out = 1;
};

class UpkeepRig {
 public:
  explicit UpkeepRig(uint64_t write_buffer_bytes = 4ULL << 20U)
      : root_(rig_root()), write_buffer_bytes_(write_buffer_bytes) {
    open();
  }
  ~UpkeepRig() {
    close();
    std::filesystem::remove_all(root_);
  }

  UpkeepRig(const UpkeepRig&) = delete;
  UpkeepRig& operator=(const UpkeepRig&) = delete;

  Engine& engine() { return *engine_; }
  std::string directory() const { return (root_ / "data").string(); }
  std::string path(const std::string& name) const { return (root_ / name).string(); }

  void open() { open(directory()); }
  // Goes on with another data directory.
  void open(const std::string& directory) {
    close();
    auto engine = Engine::open({.directory = directory,
                                .sync = false,
                                .block_cache_bytes = 8ULL << 20U,
                                .write_buffer_bytes = write_buffer_bytes_,
                                .reserve_bytes = 1});
    CHECK(engine.has_value());
    engine_ = *std::move(engine);
    acquire();
  }
  void close() { engine_.reset(); }

  // Runs `ask(done)` and waits for what `done` is given.
  template <class Answer>
  static Answer wait_for(const std::function<void(std::function<void(Answer)>)>& ask) {
    auto promise = std::make_shared<std::promise<Answer>>();
    std::future<Answer> answer = promise->get_future();
    ask([promise](Answer given) { promise->set_value(std::move(given)); });
    return answer.get();
  }

  BatchResult commit(base::Instant at, Batch batch) {
    return wait_for<BatchResult>([&](std::function<void(BatchResult)> done) {
      engine_->commit(at, std::move(batch), std::move(done));
    });
  }

  static base::EndpointId endpoint(uint64_t number) {
    return base::EndpointId::make(static_cast<base::ShardId>(number), number);
  }

  model::Publish publish_of(base::Instant at, const RigEvent& event) {
    events_ += 1;
    model::Delivery delivery;
    delivery.event = {events_};
    delivery.endpoint = endpoint(event.endpoint);
    delivery.tenant = {event.tenant};
    delivery.subscription = {event.endpoint};
    delivery.object = {event.object};
    delivery.queued_at = at;
    delivery.due = at;
    delivery.last_slot = at + base::Duration::hours(48);
    delivery.recorded = event.recorded;
    model::Event content{.tenant = {event.tenant}, .id = {}, .type = event.type};
    content.payload = event.payload;
    return {.event = {events_},
            .tenant = {event.tenant},
            .queued_at = at,
            .deliveries = std::vector(event.fan_out, delivery),
            .content = std::make_shared<const model::Event>(std::move(content)),
            .unique_key = event.unique_key,
            .digest = events_ * 7};
  }

  model::Delivery publish(base::Instant at, const RigEvent& event) {
    Batch batch;
    batch.publishes.push_back(publish_of(at, event));
    const BatchResult result = commit(at, std::move(batch));
    CHECK(result.publishes.front().status == Status::kCommitted);
    return result.publishes.front().deliveries.front();
  }

  // In one commit.
  std::vector<model::Delivery> publish_all(base::Instant at, const std::vector<RigEvent>& events) {
    Batch batch;
    for (const RigEvent& event : events) {
      batch.publishes.push_back(publish_of(at, event));
    }
    std::vector<model::Delivery> deliveries;
    for (const PublishResult& result : commit(at, std::move(batch)).publishes) {
      CHECK(result.status == Status::kCommitted);
      deliveries.push_back(result.deliveries.front());
    }
    return deliveries;
  }
  void deliver_all(base::Instant at, const std::vector<model::Delivery>& deliveries) {
    std::map<base::ShardId, std::vector<model::DeliveryChange>> changes;
    for (const model::Delivery& delivery : deliveries) {
      changes[delivery.endpoint.shard()].push_back(delivered(at, delivery));
    }
    Batch batch;
    for (auto& [shard, list] : changes) {
      batch.sections.push_back(section_of(shard, std::move(list)));
    }
    for (const SectionResult& result : commit(at, std::move(batch)).sections) {
      CHECK(result.status == Status::kCommitted);
    }
  }

  // One section of one shard with these changes.
  model::Section section_of(base::ShardId shard, std::vector<model::DeliveryChange> changes) {
    model::Section section;
    section.shard = shard;
    section.epoch = epochs_[shard];
    section.number = ++sections_[shard];
    section.deliveries = std::move(changes);
    return section;
  }

  SectionResult commit_change(base::Instant at, const model::DeliveryChange& change) {
    Batch batch;
    batch.sections.push_back(section_of(change.owner.endpoint.shard(), {change}));
    const BatchResult result = commit(at, std::move(batch));
    CHECK(result.sections.front().status == Status::kCommitted);
    return result.sections.front();
  }

  static model::DeliveryChange change_of(const model::Delivery& delivery) {
    return {.delivery = delivery.id,
            .attempt = {},
            .removed = delivery.recorded ? std::optional(delivery) : std::nullopt,
            .placed = {},
            .end = {},
            .owner = model::owner_of(delivery)};
  }
  static model::Attempt attempt_of(base::Instant at, const model::Delivery& delivery, int status) {
    model::Attempt attempt;
    attempt.delivery = delivery.id;
    attempt.endpoint = delivery.endpoint;
    attempt.number = delivery.attempts + 1;
    attempt.ordinal = delivery.id.sequence() + delivery.attempts;
    attempt.started_at = at;
    attempt.finished_at = at + base::Duration::ms(7);
    attempt.outcome.status = static_cast<uint16_t>(status);
    return attempt;
  }
  static model::DeliveryChange delivered(base::Instant at, const model::Delivery& delivery) {
    model::DeliveryChange change = change_of(delivery);
    change.attempt = attempt_of(at, delivery, 200);
    change.end = model::EndState::kDelivered;
    return change;
  }

  SectionResult deliver(base::Instant at, const model::Delivery& delivery) {
    return commit_change(at, delivered(at, delivery));
  }
  // Given up without another attempt, or cancelled.
  void end(base::Instant at, const model::Delivery& delivery, model::EndState end) {
    model::DeliveryChange change = change_of(delivery);
    change.end = end;
    commit_change(at, change);
  }
  // Failed, and waits for a retry an hour later. The delivery as it waits.
  model::Delivery fail(base::Instant at, const model::Delivery& delivery) {
    model::DeliveryChange change = change_of(delivery);
    change.attempt = attempt_of(at, delivery, 503);
    model::Delivery next = delivery;
    next.attempts += 1;
    next.range = model::DueRange::kRetry;
    next.due = at + base::Duration::hours(1);
    next.recorded = true;
    change.placed = next;
    commit_change(at, change);
    return next;
  }
  void raise_low_water(base::Instant at, base::Sequence mark) {
    Batch batch;
    batch.low_water = mark;
    commit(at, std::move(batch));
  }

  AuditReport audit() {
    auto report = wait_for<base::Result<AuditReport>>(
        [&](std::function<void(base::Result<AuditReport>)> done) {
          engine_->audit(std::move(done));
        });
    CHECK(report.has_value());
    return *std::move(report);
  }

  RetentionResult retain(const RetentionLimits& limits) {
    auto result = wait_for<base::Result<RetentionResult>>(
        [&](std::function<void(base::Result<RetentionResult>)> done) {
          engine_->retain(limits, std::move(done));
        });
    CHECK(result.has_value());
    return *std::move(result);
  }

  std::optional<model::Event> load_event(base::Sequence sequence) {
    return wait_for<std::optional<model::Event>>(
        [&](std::function<void(std::optional<model::Event>)> done) {
          engine_->load_event(sequence, std::move(done));
        });
  }

  // How much the tables take on the disk. (The logs have a bound of their own; see tuning.cc.)
  uint64_t table_bytes() const {
    uint64_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(database_path(directory()))) {
      std::error_code is_gone;
      const uintmax_t size = entry.path().extension() == ".sst" ? entry.file_size(is_gone) : 0;
      bytes += is_gone ? 0 : size;
    }
    return bytes;
  }

  // Opens the database of the closed engine to damage it.
  std::unique_ptr<Database> open_raw() {
    close();
    auto database = Database::open({.directory = database_path(directory())});
    CHECK(database.has_value());
    return *std::move(database);
  }

 private:
  void acquire() {
    std::vector<base::ShardId> shards(base::kShardCount);
    for (uint32_t shard = 0; shard < base::kShardCount; ++shard) {
      shards[shard] = static_cast<base::ShardId>(shard);
    }
    const auto snapshots = wait_for<std::vector<model::ShardSnapshot>>(
        [&](std::function<void(std::vector<model::ShardSnapshot>)> done) {
          engine_->acquire(shards, std::move(done));
        });
    for (const model::ShardSnapshot& snapshot : snapshots) {
      epochs_[snapshot.shard] = snapshot.epoch;
    }
    sections_ = {};
  }

  std::filesystem::path root_;
  uint64_t write_buffer_bytes_;
  std::unique_ptr<Engine> engine_;
  uint64_t events_ = 0;
  std::array<uint64_t, base::kShardCount> epochs_{};
  std::array<uint64_t, base::kShardCount> sections_{};
};

inline std::string all_problems(const AuditReport& report) {
  std::string text;
  for (const std::string& problem : report.problems) {
    text += problem + "\n";
  }
  return text;
}

}  // namespace store
