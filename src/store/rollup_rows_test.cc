// Hourly counts, from the outcomes to the rows, across checkpoints and restarts.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "store/codec.h"
#include "store/keys.h"
#include "store/upkeep_rig.h"

namespace store {
namespace {

using base::Duration;
using base::Instant;

// One endpoint of one tenant, and how its successes are counted.
class RollupRowsTest : public ::testing::Test {
 protected:
  void deliver_at(Instant at, int count) {
    for (int i = 0; i < count; ++i) {
      const model::Delivery delivery = rig_.publish(at, {});
      rig_.deliver(at, delivery);
      delivered_ += 1;
      last_ = delivery.id.sequence();
    }
  }

  // The core writes the endpoint's record, then nothing before it needs to be looked at again.
  void checkpoint(Instant at) {
    model::EndpointRecord record;
    record.id = kEndpoint;
    record.tenant = kTenant;
    record.successes = delivered_;
    Batch batch;
    batch.sections.push_back(rig_.section_of(kEndpoint.shard(), {}));
    batch.sections.back().endpoints.push_back(record);
    rig_.commit(at, std::move(batch));
    rig_.raise_low_water(at, last_ + 1);
  }

  void restart() { rig_.open(); }

  // What the rows of an hour say, if there are any.
  uint64_t in_rows(RollupKind kind, uint64_t id, Instant hour) {
    const std::unique_ptr<Database> database = rig_.open_raw();
    const auto record = database->get(Family::kRollups, rollup_key(kTenant, kind, id, hour.hour()));
    CHECK(record.has_value());
    return *record ? decode_counts(**record).value().delivered : 0;
  }

  // What waits in the endpoint's record.
  uint64_t in_record() {
    const std::unique_ptr<Database> database = rig_.open_raw();
    const std::string key = endpoint_key(kEndpoint);
    const auto record = database->get(Family::kEndpoints, key);
    CHECK(record.has_value() && record->has_value());
    const auto stored = decode_endpoint(key, **record);
    CHECK(stored.has_value());
    uint64_t delivered = 0;
    for (const WaitingCount& count : stored->waiting) {
      delivered += count.counts.delivered;
    }
    return delivered;
  }

  inline static const base::EndpointId kEndpoint = UpkeepRig::endpoint(1);
  inline static constexpr base::TenantId kTenant{1};

 private:
  UpkeepRig rig_;
  uint64_t delivered_ = 0;
  base::Sequence last_ = 0;
};

TEST_F(RollupRowsTest, CountsWaitInTheRecordWhileTheirHourLasts) {
  deliver_at(kRigStart, 3);
  checkpoint(kRigStart);
  EXPECT_EQ(in_record(), 3U);
  EXPECT_EQ(in_rows(RollupKind::kEndpoint, kEndpoint.value, kRigStart), 0U);
}

TEST_F(RollupRowsTest, CountsBecomeRowsWhenTheirHourIsOver) {
  deliver_at(kRigStart, 3);
  checkpoint(kRigStart);
  const Instant later = kRigStart + Duration::hours(1);
  deliver_at(later, 1);
  checkpoint(later);
  EXPECT_EQ(in_record(), 1U);
  EXPECT_EQ(in_rows(RollupKind::kEndpoint, kEndpoint.value, kRigStart), 3U);
  EXPECT_EQ(in_rows(RollupKind::kSubscription, 1, kRigStart), 3U);
}

TEST_F(RollupRowsTest, ARestartCountsNothingTwiceAndForgetsNothing) {
  deliver_at(kRigStart, 3);
  checkpoint(kRigStart);
  deliver_at(kRigStart, 2);
  restart();
  deliver_at(kRigStart, 1);
  checkpoint(kRigStart);
  restart();
  EXPECT_EQ(in_record(), 6U);
  restart();
  checkpoint(kRigStart + Duration::hours(1));
  EXPECT_EQ(in_rows(RollupKind::kEndpoint, kEndpoint.value, kRigStart), 6U);
  EXPECT_EQ(in_record(), 0U);
}

}  // namespace
}  // namespace store
