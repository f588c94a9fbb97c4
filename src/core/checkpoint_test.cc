#include "core/checkpoint.h"

#include <gtest/gtest.h>

#include <set>

#include "core/delivery_core.h"

namespace core {
namespace {

using base::Duration;
using base::Instant;

constexpr Instant kStart = Instant::from_ms(1'790'000'000'000);

// A core whose store answers only when it is told to.
class CheckpointTest : public ::testing::Test {
 protected:
  CheckpointTest() { step(ShardAcquired{.snapshot = {.shard = 0, .epoch = 1}}); }

  void step(const Input& input) {
    Effects effects;
    core_.step(now_, input, effects);
    for (const Effect& effect : effects) {
      if (const auto* start = std::get_if<StartAttempt>(&effect)) {
        starts_.push_back(start->token);
      } else if (const auto* commit = std::get_if<Commit>(&effect)) {
        submitted_.push_back(commit->section.number);
        for (const model::EndpointRecord& record : commit->section.endpoints) {
          records_.insert(record.id.value);
        }
      } else if (const auto* mark = std::get_if<AdvanceLowWater>(&effect)) {
        mark_ = mark->sequence;
      }
    }
  }

  void queue(base::Sequence sequence, uint64_t endpoint) {
    model::Delivery delivery;
    delivery.id = base::DeliveryId::make(sequence, 0);
    delivery.endpoint = base::EndpointId::make(0, endpoint);
    delivery.tenant = {1};
    delivery.queued_at = now_;
    delivery.due = now_;
    delivery.last_slot = now_ + Duration::hours(48);
    step(DeliveriesQueued{.deliveries = {delivery}});
  }

  void succeed_all() {
    for (const AttemptToken token : std::exchange(starts_, {})) {
      step(AttemptFinished{.token = token, .outcome = {.status = 200}});
    }
  }

  void commit_all() {
    for (const uint64_t number : std::exchange(submitted_, {})) {
      step(SectionDone{.shard = 0, .number = number});
    }
  }

  void wait(Duration time) {
    const Instant until = now_ + time;
    while (core_.next_deadline() && *core_.next_deadline() <= until) {
      now_ = std::max(now_, *core_.next_deadline());
      step(Wake{});
    }
    now_ = until;
  }

  Instant now_ = kStart;
  DeliveryCore core_{Options{}};
  std::vector<AttemptToken> starts_;
  std::vector<uint64_t> submitted_;
  std::set<uint64_t> records_;
  base::Sequence mark_ = 0;
};

TEST_F(CheckpointTest, ASuccessIsInItsEndpointsRecordWithinFiveSeconds) {
  queue(1, 1);
  succeed_all();
  commit_all();
  EXPECT_TRUE(records_.empty());

  wait(Duration::seconds(5));
  EXPECT_EQ(records_.size(), 1U);
}

TEST_F(CheckpointTest, TheMarkMovesOnlyWhenTheCheckpointIsDurable) {
  queue(1, 1);
  succeed_all();
  commit_all();
  wait(Duration::seconds(5));
  EXPECT_EQ(mark_, 0U);

  commit_all();
  EXPECT_EQ(mark_, 2U);
}

TEST_F(CheckpointTest, AFirstAttemptInMemoryKeepsTheMarkBelowIt) {
  queue(1, 1);
  succeed_all();
  queue(2, 1);  // stays in flight
  queue(3, 2);
  const AttemptToken in_flight = starts_.front();
  starts_.erase(starts_.begin());
  succeed_all();
  commit_all();
  wait(Duration::seconds(5));
  commit_all();
  EXPECT_EQ(mark_, 2U);

  step(AttemptFinished{.token = in_flight, .outcome = {.status = 200}});
  commit_all();
  wait(Duration::seconds(5));
  commit_all();
  EXPECT_EQ(mark_, 4U);
}

TEST_F(CheckpointTest, AnOutcomeUnderWayKeepsTheMarkBelowIt) {
  queue(1, 1);
  succeed_all();  // its section is not durable
  wait(Duration::seconds(5));
  EXPECT_EQ(mark_, 0U);
}

TEST_F(CheckpointTest, APassOverManyEndpointsComesInPiecesAndMissesNone) {
  constexpr uint64_t kEndpoints = 2000;
  for (uint64_t endpoint = 1; endpoint <= kEndpoints; ++endpoint) {
    queue(endpoint, endpoint);
  }
  succeed_all();
  commit_all();
  wait(Duration::ms(5'000));
  EXPECT_LT(records_.size(), kEndpoints);

  wait(Duration::ms(100));
  EXPECT_EQ(records_.size(), kEndpoints);
  EXPECT_EQ(mark_, 0U);
  commit_all();
  EXPECT_EQ(mark_, kEndpoints + 1);
}

}  // namespace
}  // namespace core
