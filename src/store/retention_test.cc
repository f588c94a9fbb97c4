#include "store/retention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/prng.h"
#include "store/codec.h"
#include "store/tables.h"
#include "store/upkeep_rig.h"

namespace store {
namespace {

using base::Duration;
using base::Instant;
using base::Sequence;
using model::Delivery;

constexpr uint64_t kMiB = 1ULL << 20U;

Instant day(int64_t number) { return kRigStart + Duration::hours(24 * number); }

uint64_t count_records(const Database& database, Family family, std::string_view prefix = {}) {
  Scan scan(database, family, prefix, after_prefix(std::string(prefix)));
  uint64_t count = 0;
  for (; scan.is_valid(); scan.next()) {
    count += 1;
  }
  return count;
}

class RetentionTest : public testing::Test {
 protected:
  Delivery publish_delivered(Instant at, const RigEvent& event) {
    Delivery delivery = rig_.publish(at, event);
    rig_.deliver(at, delivery);
    newest_ = delivery.id.sequence();
    return delivery;
  }
  void raise_low_water(Instant at) { rig_.raise_low_water(at, newest_ + 1); }

  void expect_sound() {
    const AuditReport report = rig_.audit();
    EXPECT_TRUE(report.ok()) << all_problems(report);
  }

  UpkeepRig rig_;
  Sequence newest_ = 0;
};

TEST_F(RetentionTest, RemovesWhatIsOlderAndNothingElse) {
  const Delivery old = publish_delivered(day(0), {});
  const Delivery young = publish_delivered(day(10), {});
  raise_low_water(day(10));
  const RetentionResult result = rig_.retain({.before = day(5)});
  EXPECT_EQ(result.events, 1U);
  EXPECT_EQ(result.deliveries, 1U);
  EXPECT_FALSE(rig_.load_event(old.id.sequence()).has_value());
  EXPECT_TRUE(rig_.load_event(young.id.sequence()).has_value());
  EXPECT_EQ(rig_.engine().standing().totals.expired, 1U);
  expect_sound();
}

TEST_F(RetentionTest, HasNothingToDoTheSecondTime) {
  publish_delivered(day(0), {});
  publish_delivered(day(10), {});
  raise_low_water(day(10));
  rig_.retain({.before = day(5)});
  const RetentionResult again = rig_.retain({.before = day(5)});
  EXPECT_EQ(again.events, 0U);
  EXPECT_EQ(again.rows, 0U);
  expect_sound();
}

TEST_F(RetentionTest, UniqueKeysGoWithTheirEvents) {
  publish_delivered(day(0), {.unique_key = "old"});
  publish_delivered(day(10), {.unique_key = "young"});
  raise_low_water(day(10));
  rig_.retain({.before = day(5)});
  Batch batch;
  batch.publishes.push_back(rig_.publish_of(day(10), {.unique_key = "old"}));
  batch.publishes.push_back(rig_.publish_of(day(10), {.unique_key = "young"}));
  const BatchResult result = rig_.commit(day(10), std::move(batch));
  EXPECT_FALSE(result.publishes[0].is_repeat);
  EXPECT_TRUE(result.publishes[1].is_repeat);
  expect_sound();
}

TEST_F(RetentionTest, AnUnfinishedDeliveryKeepsItsPayloadUntilItEnds) {
  const Delivery before = publish_delivered(day(0), {});
  const Delivery waiting =
      rig_.fail(day(0), rig_.publish(day(0), {.payload = "needed", .unique_key = "waiting"}));
  const Delivery behind = publish_delivered(day(0), {});
  publish_delivered(day(10), {});
  raise_low_water(day(10));
  const RetentionResult result = rig_.retain({.before = day(5)});
  EXPECT_EQ(result.events, 2U);
  EXPECT_EQ(result.kept, 1U);
  EXPECT_FALSE(rig_.load_event(before.id.sequence()).has_value());
  EXPECT_FALSE(rig_.load_event(behind.id.sequence()).has_value());
  const auto content = rig_.load_event(waiting.id.sequence());
  ASSERT_TRUE(content.has_value());
  EXPECT_EQ(content->payload, "needed");
  expect_sound();

  rig_.deliver(day(10), waiting);
  EXPECT_EQ(rig_.retain({.before = day(5)}).events, 1U);
  EXPECT_FALSE(rig_.load_event(waiting.id.sequence()).has_value());
  expect_sound();
}

TEST_F(RetentionTest, AnEventGoesOnlyWithAllItsDeliveries) {
  Batch batch;
  model::Publish publish = rig_.publish_of(day(0), {});
  publish.deliveries.push_back(publish.deliveries.front());
  publish.deliveries.back().recorded = true;
  batch.publishes.push_back(publish);
  const auto deliveries = rig_.commit(day(0), std::move(batch)).publishes.front().deliveries;
  rig_.deliver(day(0), deliveries[0]);
  publish_delivered(day(10), {});
  raise_low_water(day(10));
  EXPECT_EQ(rig_.retain({.before = day(5)}).events, 0U);
  rig_.end(day(10), deliveries[1], model::EndState::kCancelled);
  EXPECT_EQ(rig_.retain({.before = day(5)}).deliveries, 2U);
  expect_sound();
}

TEST_F(RetentionTest, LeavesWhatIsAtOrAboveTheLowWaterMark) {
  publish_delivered(day(0), {});
  const Delivery uncounted = publish_delivered(day(0), {});
  publish_delivered(day(10), {});
  rig_.raise_low_water(day(10), uncounted.id.sequence());
  EXPECT_EQ(rig_.retain({.before = day(10)}).events, 1U);
  EXPECT_TRUE(rig_.load_event(uncounted.id.sequence()).has_value());
}

TEST_F(RetentionTest, TheLastDayStaysWhateverTheLimits) {
  const Delivery yesterday = publish_delivered(day(9), {});
  const Delivery today = publish_delivered(day(9) + Duration::hours(2), {.unique_key = "key"});
  publish_delivered(day(10) + Duration::hours(1), {});
  raise_low_water(day(10) + Duration::hours(1));
  rig_.retain({.before = day(11), .bytes_max = 1});
  EXPECT_FALSE(rig_.load_event(yesterday.id.sequence()).has_value());
  EXPECT_TRUE(rig_.load_event(today.id.sequence()).has_value());
}

TEST_F(RetentionTest, ManyThatStayLeaveManyGaps) {
  std::vector<RigEvent> events(9'000);
  const std::vector<Delivery> all = rig_.publish_all(day(0), events);
  std::vector<Delivery> ended;
  std::vector<Delivery> waiting;
  for (const Delivery& delivery : all) {
    (delivery.id.sequence() % 2 == 0 ? ended : waiting).push_back(delivery);
  }
  rig_.deliver_all(day(0), ended);
  Batch spill;
  std::vector<model::DeliveryChange> changes;
  for (Delivery& delivery : waiting) {
    model::DeliveryChange change = UpkeepRig::change_of(delivery);
    delivery.recorded = true;
    change.placed = delivery;
    changes.push_back(std::move(change));
  }
  spill.sections.push_back(rig_.section_of(1, std::move(changes)));
  rig_.commit(day(0), std::move(spill));
  publish_delivered(day(10), {});
  raise_low_water(day(10));
  const RetentionResult result = rig_.retain({.before = day(5)});
  EXPECT_EQ(result.events, 4'500U);
  EXPECT_EQ(result.kept, 4'500U);
  expect_sound();
  rig_.deliver_all(day(10), waiting);
  EXPECT_EQ(rig_.retain({.before = day(5)}).events, 4'500U);
  EXPECT_EQ(rig_.audit().counted.events, 1U);
  expect_sound();
}

TEST_F(RetentionTest, ADamagedEventStaysAndStopsNothing) {
  publish_delivered(day(0), {});
  const Delivery damaged = publish_delivered(day(0), {});
  publish_delivered(day(0), {});
  publish_delivered(day(10), {});
  raise_low_water(day(10));
  {
    const std::unique_ptr<Database> database = rig_.open_raw();
    ASSERT_TRUE(database->db()
                    .Put({}, database->family(Family::kEvents), sequence_key(damaged.id.sequence()),
                         "nonsense")
                    .ok());
  }
  rig_.open();
  const RetentionResult result = rig_.retain({.before = day(5)});
  EXPECT_EQ(result.events, 2U);
  EXPECT_EQ(result.kept, 1U);
}

TEST_F(RetentionTest, CountsHistoriesAndMinutesOfThatTimeGo) {
  for (const int64_t number : {0, 1, 10}) {
    const Delivery delivery = rig_.publish(day(number), {});
    Batch batch;
    model::Section section =
        rig_.section_of(delivery.endpoint.shard(), {UpkeepRig::delivered(day(number), delivery)});
    model::EndpointRecord record;
    record.id = delivery.endpoint;
    record.tenant = {1};
    record.successes = delivery.id.sequence();
    section.endpoints.push_back(record);
    section.transitions.push_back({.endpoint = delivery.endpoint, .at = day(number)});
    batch.sections.push_back(std::move(section));
    rig_.commit(day(number), std::move(batch));
    newest_ = delivery.id.sequence();
  }
  raise_low_water(day(10));
  const RetentionResult result = rig_.retain({.before = day(5)});
  EXPECT_EQ(result.rows, 4U + 2U + 1U);
  expect_sound();
  const std::unique_ptr<Database> database = rig_.open_raw();
  EXPECT_EQ(count_records(*database, Family::kRollups), 0U) << "day 10 waits for its hour";
  EXPECT_EQ(count_records(*database, Family::kHistory), 1U);
  EXPECT_EQ(count_records(*database, Family::kMeta, kMinutePrefix), 2U);
}

// As after a crash between the statement that a range is gone and the removal of its records.
TEST_F(RetentionTest, WhatACrashInterruptedIsFinishedWhenTheStoreIsOpened) {
  const Delivery gone = publish_delivered(day(0), {});
  publish_delivered(day(10), {});
  raise_low_water(day(10));
  {
    const std::unique_ptr<Database> database = rig_.open_raw();
    Standing standing = **read_standing({.database = *database});
    standing.totals.events -= 1;
    standing.totals.delivered -= 1;
    standing.totals.expired += 1;
    standing.retained_from = gone.id.sequence() + 1;
    rocksdb::WriteBatch batch;
    const auto put = [&](std::string_view key, const std::string& value) {
      batch.Put(database->family(Family::kMeta), {key.data(), key.size()}, value);
    };
    put(kStateKey, encode_standing(kStateKey, standing));
    put(kRemovingKey, encode_ranges(kRemovingKey, {{.from = 0, .until = gone.id.sequence() + 1}}));
    ASSERT_TRUE(database->db().Write({}, &batch).ok());
  }
  const auto half_way = audit_directory(rig_.directory());
  ASSERT_TRUE(half_way.has_value());
  EXPECT_TRUE(half_way->ok()) << all_problems(*half_way);
  rig_.open();
  expect_sound();
  EXPECT_FALSE(rig_.load_event(gone.id.sequence()).has_value());
  const std::unique_ptr<Database> database = rig_.open_raw();
  EXPECT_FALSE(database->get(Family::kMeta, kRemovingKey)->has_value());
}

// Plays days of traffic: 12 events an hour of 2 KiB that cannot be compressed; one in 200 takes
// long to end.
class Traffic {
 public:
  Traffic(UpkeepRig& rig, Duration patience) : rig_(rig), patience_(patience) {}

  // The disk must come down to `bytes_max` after each day.
  void play(int64_t days, uint64_t bytes_max,
            const std::function<RetentionLimits(Instant)>& limits) {
    for (int64_t number = 0; number < days; ++number) {
      play_day(number);
      const RetentionResult result = rig_.retain(limits(day(number + 1)));
      removed += result.events;
      kept += result.kept;
      ASSERT_TRUE(settles_below(bytes_max)) << rig_.table_bytes() << " bytes on day " << number;
      check_unfinished();
    }
  }

  uint64_t removed = 0;
  uint64_t kept = 0;
  uint64_t published = 0;
  uint64_t payload_bytes = 0;

 private:
  static constexpr uint64_t kPerHour = 12;
  static constexpr int kTriesMax = 50'000;

  // RocksDB has a day to rewrite files, here as in life.
  bool settles_below(uint64_t bytes_max) const {
    for (int tries = 0; tries < kTriesMax; ++tries) {
      if (rig_.table_bytes() < bytes_max) {
        return true;
      }
      std::this_thread::yield();
    }
    return false;
  }

  std::string payload() {
    std::string bytes;
    while (bytes.size() < 2048) {
      const uint64_t word = prng_.next();
      bytes.append(reinterpret_cast<const char*>(&word), sizeof word);
    }
    payload_bytes += bytes.size();
    return bytes;
  }

  void play_day(int64_t number) {
    for (int64_t hour = 0; hour < 24; ++hour) {
      const Instant at = day(number) + Duration::hours(hour);
      std::vector<RigEvent> events(kPerHour);
      for (RigEvent& event : events) {
        event.endpoint = 1 + prng_.below(20);
        event.payload = payload();
        event.unique_key = "key-" + std::to_string(++published);
      }
      take(at, rig_.publish_all(at, events));
      while (!slow_.empty() && slow_.front().queued_at + patience_ <= at) {
        rig_.deliver(at, slow_.front());
        slow_.erase(slow_.begin());
      }
    }
  }

  void take(Instant at, const std::vector<Delivery>& deliveries) {
    std::vector<Delivery> quick;
    for (const Delivery& delivery : deliveries) {
      if (delivery.id.sequence() % 200 == 0) {
        slow_.push_back(rig_.fail(at, delivery));
      } else {
        quick.push_back(delivery);
      }
    }
    rig_.deliver_all(at, quick);
    rig_.raise_low_water(at, deliveries.back().id.sequence() + 1);
  }

  void check_unfinished() {
    for (const Delivery& delivery : slow_) {
      const auto event = rig_.load_event(delivery.id.sequence());
      ASSERT_TRUE(event.has_value()) << delivery.id.sequence();
      EXPECT_EQ(event->payload.size(), 2048U);
    }
  }

  UpkeepRig& rig_;
  Duration patience_;
  base::Prng prng_{1};
  std::vector<Delivery> slow_;
};

constexpr uint64_t kDayBytes = 12ULL * 24 * 2048;

constexpr int64_t kDays = 200;
constexpr uint64_t kDayEvents = 12ULL * 24;

RetentionLimits thirty_days(Instant now) { return {.before = now - Duration::hours(24 * 30)}; }

void expect_thirty_days(UpkeepRig& rig, const Traffic& traffic) {
  EXPECT_EQ(traffic.payload_bytes, kDays * kDayBytes);
  const AuditReport report = rig.audit();
  EXPECT_TRUE(report.ok()) << all_problems(report);
  EXPECT_GE(report.counted.events, 30 * kDayEvents);
  EXPECT_LE(report.counted.events, 32 * kDayEvents);
  EXPECT_EQ(report.expired, traffic.removed);
}

// The 30 days, one more by which the cut may be late to meet the border of a file, what a file
// spans on either side, four files' worth that waits for RocksDB to rewrite it, and what keys,
// outcomes and counts take beside the payloads: 40. Twice, because RocksDB may keep files that it
// has rewritten until its next job, and at this small size it rewrites all of them at once.
constexpr uint64_t kThirtyDaysBytesMax = 2 * 40 * kDayBytes;

// Everything has ended when its time comes, as with the schedule of 48 hours: files go whole.
TEST(RetentionOverTimeTest, AnAgeBoundsTheDisk) {
  UpkeepRig rig(kMiB / 2);
  Traffic traffic(rig, Duration::hours(24 * 8));
  traffic.play(kDays, kThirtyDaysBytesMax, thirty_days);
  EXPECT_EQ(traffic.kept, 0U);
  expect_thirty_days(rig, traffic);
}

// In every file there is something that outlives its time: RocksDB has to rewrite them all.
TEST(RetentionOverTimeTest, AnAgeBoundsTheDiskAlsoWhenNoFileGoesWhole) {
  UpkeepRig rig(kMiB / 2);
  Traffic traffic(rig, Duration::hours(24 * 40));
  traffic.play(kDays, kThirtyDaysBytesMax, thirty_days);
  EXPECT_GT(traffic.kept, 0U);
  expect_thirty_days(rig, traffic);
}

TEST(RetentionOverTimeTest, ANumberOfBytesBoundsTheDisk) {
  UpkeepRig rig(kMiB / 2);
  Traffic traffic(rig, Duration::hours(24 * 20));
  constexpr uint64_t kBytesMax = 8 * kMiB;
  traffic.play(90, 3 * kBytesMax,
               [](Instant) { return RetentionLimits{.before = {}, .bytes_max = kBytesMax}; });
  EXPECT_GT(traffic.kept, 0U);
  const AuditReport report = rig.audit();
  EXPECT_TRUE(report.ok()) << all_problems(report);
  // What fits stays.
  EXPECT_GT(report.counted.events, kBytesMax / 2 / 2200);
}

TEST(RetentionOverTimeTest, WhereFilesAreShortInTimeTheyGoWholeAndLeaveNoTombstones) {
  UpkeepRig rig(kMiB);
  const auto at_minute = [](int64_t minute) { return kRigStart + Duration::minutes(minute); };
  Sequence last = 0;
  for (int64_t minute = 0; minute < 24; ++minute) {
    base::Prng prng(static_cast<uint64_t>(minute));
    std::vector<RigEvent> events(256);
    for (RigEvent& event : events) {
      event.payload.resize(4096);
      std::ranges::generate(event.payload, [&] { return static_cast<char>(prng.next()); });
    }
    const std::vector<Delivery> deliveries = rig.publish_all(at_minute(minute), events);
    rig.deliver_all(at_minute(minute), deliveries);
    last = deliveries.back().id.sequence();
  }
  rig.raise_low_water(at_minute(24) + Duration::hours(24), last + 1);
  {
    const std::unique_ptr<Database> database = rig.open_raw();
    for (const Family family : {Family::kEvents, Family::kOutcomes}) {
      ASSERT_TRUE(database->db().CompactRange({}, database->family(family), nullptr, nullptr).ok());
    }
  }
  rig.open();
  const uint64_t before = rig.table_bytes();
  const RetentionResult result = rig.retain({.before = at_minute(12)});
  EXPECT_GT(result.events, 6U * 256);
  EXPECT_LE(result.events, 12U * 256);
  EXPECT_LT(rig.table_bytes(), before - result.events * 4096);
  EXPECT_TRUE(rig.audit().ok());
  const std::unique_ptr<Database> database = rig.open_raw();
  rocksdb::TablePropertiesCollection files;
  ASSERT_TRUE(
      database->db().GetPropertiesOfAllTables(database->family(Family::kEvents), &files).ok());
  EXPECT_FALSE(files.empty());
  for (const auto& [name, properties] : files) {
    EXPECT_EQ(properties->num_deletions, 0U) << name;
  }
}

}  // namespace
}  // namespace store
