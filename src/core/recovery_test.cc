#include "core/recovery.h"

#include <gtest/gtest.h>

#include "core/delivery_core.h"

namespace core {
namespace {

using base::Duration;
using base::Instant;

constexpr Instant kStart = Instant::from_ms(1'790'000'000'000);

// A shard with one endpoint whose record lacks the success of its only delivery.
model::ShardSnapshot snapshot_with_missing_success() {
  model::ShardSnapshot snapshot{.shard = 7, .epoch = 2};
  model::EndpointRecord record;
  record.id = base::EndpointId::make(7, 1);
  record.tenant = {1};
  record.unfinished = 1;
  record.last_queued = base::DeliveryId::make(5, 0);
  model::Delivery delivery;
  delivery.id = record.last_queued;
  delivery.endpoint = record.id;
  delivery.tenant = record.tenant;
  const model::Attempt success{.delivery = delivery.id,
                               .endpoint = record.id,
                               .ordinal = 1,
                               .started_at = kStart - Duration::seconds(9),
                               .finished_at = kStart - Duration::seconds(8),
                               .outcome = {.status = 200}};
  snapshot.endpoints.push_back({.record = record});
  snapshot.tail.push_back({.delivery = delivery, .success = success, .unfinished = false});
  return snapshot;
}

TEST(RecoveryTest, ASuccessThatTheRecordLacksIsCountedAgain) {
  DeliveryCore core({});
  Effects effects;
  core.step(kStart, ShardAcquired{.snapshot = snapshot_with_missing_success()}, effects);

  const model::EndpointRecord* const record = core.endpoint(base::EndpointId::make(7, 1));
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->successes, 1U);
  EXPECT_EQ(record->unfinished, 0U);
}

// Found by the swarm: two crashes in a row lost the success, because the first recovery counted it
// in memory only and then raised the low-water mark past it.
TEST(RecoveryTest, ASuccessThatWasCountedAgainIsInTheNextCheckpoint) {
  DeliveryCore core({});
  Effects effects;
  core.step(kStart, ShardAcquired{.snapshot = snapshot_with_missing_success()}, effects);

  effects.clear();
  core.step(kStart + Duration::seconds(5), Wake{}, effects);

  ASSERT_EQ(effects.size(), 1U);
  const auto& commit = std::get<Commit>(effects.front());
  ASSERT_EQ(commit.section.endpoints.size(), 1U);
  EXPECT_EQ(commit.section.endpoints.front().successes, 1U);
}

}  // namespace
}  // namespace core
