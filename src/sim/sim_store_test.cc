// The contract of store/store.h, as the simulator's store keeps it, and its faults.

#include "sim/sim_store.h"

#include <gtest/gtest.h>

#include "sim/timeline.h"

namespace sim {
namespace {

using base::DeliveryId;
using base::Duration;
using base::Instant;
using store::Status;

constexpr Instant kStart = Instant::from_ms(1'790'000'000'000);
constexpr base::EndpointId kEndpoint = base::EndpointId::make(3, 1);

model::Delivery waiting_delivery(uint64_t subscription = 1) {
  model::Delivery delivery;
  delivery.endpoint = kEndpoint;
  delivery.tenant = {1};
  delivery.subscription = {subscription};
  delivery.queued_at = kStart;
  delivery.due = kStart;
  delivery.last_slot = kStart + Duration::hours(48);
  return delivery;
}

model::Publish event(uint64_t id, std::vector<model::Delivery> deliveries = {waiting_delivery()}) {
  return {.event = {id}, .tenant = {1}, .queued_at = kStart, .deliveries = std::move(deliveries)};
}

model::DeliveryChange ending(DeliveryId id, model::EndState end = model::EndState::kDelivered) {
  return {.delivery = id, .attempt = {}, .removed = {}, .placed = {}, .end = end};
}

class SimStoreTest : public ::testing::Test {
 protected:
  SimStoreTest() : store_({.seed = 1}, hooks()), scheduler_(timeline_, kStart, {}) {
    store_.attach(scheduler_);
    store_.take_shard(3);
  }

  StoreHooks hooks() {
    return {.committed = [this](const model::Section&) { committed_ += 1; },
            .published = {},
            .fenced = [this](base::ShardId) { fenced_ += 1; },
            .trouble = {}};
  }

  void run() {
    while (timeline_.run_next(timeline_.elapsed() + Duration::hours(1))) {
    }
  }

  // Commits and waits for the answer.
  store::BatchResult commit(store::Batch batch) {
    store::BatchResult answer;
    store_.commit(scheduler_.now(), std::move(batch),
                  [&](store::BatchResult result) { answer = std::move(result); });
    run();
    return answer;
  }
  store::PublishResult publish(const model::Publish& what) {
    return commit({.publishes = {what}, .sections = {}, .low_water = {}}).publishes.at(0);
  }
  model::Section section(uint64_t number, std::vector<model::DeliveryChange> changes = {}) const {
    model::Section made{.shard = 3, .epoch = 1, .number = number};
    made.deliveries = std::move(changes);
    return made;
  }
  store::SectionResult write(const model::Section& what) {
    return commit({.publishes = {}, .sections = {what}, .low_water = {}}).sections.at(0);
  }

  int committed_ = 0;
  int fenced_ = 0;
  Timeline timeline_;
  SimStore store_;
  SimScheduler scheduler_;
};

TEST_F(SimStoreTest, AnswersNeverInsideTheCall) {
  bool is_answered = false;
  store_.commit(kStart, {.publishes = {event(1)}, .sections = {}, .low_water = {}},
                [&](const store::BatchResult&) { is_answered = true; });
  EXPECT_FALSE(is_answered);
  run();
  EXPECT_TRUE(is_answered);
}

TEST_F(SimStoreTest, SequencesGrowInTheOrderOfCommits) {
  const auto first = publish(event(7));
  const auto second = publish(event(5));
  EXPECT_EQ(first.status, Status::kCommitted);
  EXPECT_LT(first.deliveries.at(0).id, second.deliveries.at(0).id);
}

TEST_F(SimStoreTest, TheSameEventTwiceIsStoredOnceAndReportsTheFirst) {
  const auto first = publish(event(7));
  const auto again = publish(event(7));
  EXPECT_FALSE(first.is_repeat);
  EXPECT_TRUE(again.is_repeat);
  EXPECT_EQ(again.status, Status::kCommitted);
  EXPECT_EQ(again.deliveries.at(0).id, first.deliveries.at(0).id);
  EXPECT_EQ(store_.tables().tally().created, 1U);
}

TEST_F(SimStoreTest, ASectionTakesEffectOnce) {
  const DeliveryId id = publish(event(1)).deliveries.at(0).id;
  EXPECT_EQ(write(section(1, {ending(id)})).status, Status::kCommitted);
  EXPECT_EQ(write(section(1, {ending(id)})).status, Status::kCommitted);
  EXPECT_EQ(committed_, 1);
  EXPECT_EQ(store_.tables().tally().delivered, 1U);
}

TEST_F(SimStoreTest, ASectionThatSkipsANumberIsRefusedWhole) {
  const DeliveryId id = publish(event(1)).deliveries.at(0).id;
  EXPECT_EQ(write(section(2, {ending(id)})).status, Status::kFailed);
  EXPECT_FALSE(store_.tables().find(id)->end.has_value());
  EXPECT_EQ(write(section(1)).status, Status::kCommitted);
  EXPECT_EQ(write(section(2, {ending(id)})).status, Status::kCommitted);
}

TEST_F(SimStoreTest, ASectionOfAnOldEpochChangesNothing) {
  const DeliveryId id = publish(event(1)).deliveries.at(0).id;
  ASSERT_TRUE(store_.take_shard(3));
  EXPECT_EQ(write(section(1, {ending(id)})).status, Status::kFenced);
  EXPECT_EQ(fenced_, 1);
  EXPECT_FALSE(store_.tables().find(id)->end.has_value());
}

TEST_F(SimStoreTest, AcquiringGivesANewEpochWhoseNumbersBeginAtOne) {
  write(section(1));
  uint64_t epoch = 0;
  store_.acquire({3}, [&](const std::vector<model::ShardSnapshot>& snapshots) {
    epoch = snapshots.at(0).epoch;
  });
  run();
  EXPECT_EQ(epoch, 2U);
  model::Section first = section(1);
  first.epoch = epoch;
  EXPECT_EQ(write(first).status, Status::kCommitted);
}

TEST_F(SimStoreTest, AFailedTurnStoresNothing) {
  store_.set_faults({.failed_per_mille = 1000});
  EXPECT_EQ(publish(event(1)).status, Status::kFailed);
  EXPECT_EQ(write(section(1)).status, Status::kFailed);
  store_.set_faults({});
  EXPECT_EQ(store_.tables().tally().created, 0U);
  EXPECT_FALSE(publish(event(1)).is_repeat);
  EXPECT_EQ(write(section(1)).status, Status::kCommitted);
}

TEST_F(SimStoreTest, RemembersTheNewestTimeOfACommit) {
  EXPECT_FALSE(store_.last_committed().is_set());
  timeline_.run_next(Duration::minutes(3));
  publish(event(1));
  EXPECT_EQ(store_.last_committed(), kStart + Duration::minutes(3));
}

TEST_F(SimStoreTest, ReadsShowWhatWasThereWhenTheyWereAsked) {
  store_.set_faults({.read_delay_max = Duration::seconds(10)});
  std::optional<store::FoundDelivery> found;
  store_.load_delivery(DeliveryId::make(1, 0), [&](const auto& answer) { found = answer; });
  publish(event(1));
  EXPECT_FALSE(found.has_value());
}

TEST_F(SimStoreTest, TheRecountAgreesWithTheTally) {
  std::vector<DeliveryId> ids;
  for (uint64_t i = 1; i <= 5; ++i) {
    ids.push_back(publish(event(i)).deliveries.at(0).id);
  }
  write(section(1, {ending(ids[0]), ending(ids[1], model::EndState::kDropped),
                    ending(ids[2], model::EndState::kCancelled)}));
  for (const Tally& tally : {store_.tables().tally(), store_.tables().recount()}) {
    EXPECT_EQ(tally.created, 5U);
    EXPECT_EQ(tally.delivered, 1U);
    EXPECT_EQ(tally.dropped, 1U);
    EXPECT_EQ(tally.cancelled, 1U);
  }
  EXPECT_EQ(store_.tables().unfinished(), 2U);
}

// Crashes and unclear turns.

class SimStoreCrashTest : public SimStoreTest {
 protected:
  void submit(const model::Publish& what) {
    store_.commit(scheduler_.now(), {.publishes = {what}, .sections = {}, .low_water = {}},
                  [this](const store::BatchResult&) { reported_ += 1; });
  }
  void run_for(Duration time) {
    const Duration until = timeline_.elapsed() + time;
    while (timeline_.run_next(until)) {
    }
  }

  int reported_ = 0;
};

TEST_F(SimStoreCrashTest, WhatIsNotDurableIsLost) {
  store_.set_faults(
      {.commit_delay_min = Duration::seconds(5), .commit_delay_max = Duration::seconds(5)});
  submit(event(1));
  run_for(Duration::seconds(4));
  store_.crash();
  EXPECT_EQ(store_.tables().tally().created, 0U);
  EXPECT_TRUE(store_.is_idle());
}

TEST_F(SimStoreCrashTest, WhatIsDurableAndUnreportedStays) {
  // The report is drawn from a wide range: with this seed it comes later than the crash.
  store_.set_faults({.report_delay_max = Duration::hours(10)});
  submit(event(1));
  run_for(Duration::seconds(1));
  ASSERT_EQ(reported_, 0);
  EXPECT_EQ(store_.tables().tally().created, 0U);
  store_.crash();
  EXPECT_EQ(store_.tables().tally().created, 1U);
  EXPECT_EQ(store_.last_committed(), kStart);
}

TEST_F(SimStoreCrashTest, WhatWaitsBehindTheTurnIsLost) {
  store_.set_faults({.report_delay_max = Duration::hours(10)});
  submit(event(1));
  run_for(Duration::seconds(1));
  submit(event(2));
  store_.crash();
  EXPECT_TRUE(store_.tables().find_event({1}).has_value());
  EXPECT_FALSE(store_.tables().find_event({2}).has_value());
}

// Makes turns unclear until one left something in limbo; returns the event of that turn.
class SimStoreLimboTest : public SimStoreCrashTest {
 protected:
  uint64_t make_limbo() {
    store_.set_faults({.unclear_per_mille = 1000});
    for (uint64_t id = 1; id <= 100; ++id) {
      EXPECT_EQ(publish(event(id)).status, Status::kUnknown);
      if (!store_.is_idle()) {
        store_.set_faults({});
        return id;
      }
    }
    return 0;
  }
};

TEST_F(SimStoreLimboTest, ReadsDoNotShowWhatIsInLimbo) {
  ASSERT_NE(make_limbo(), 0U);
  EXPECT_EQ(store_.tables().tally().created, 0U);
}

TEST_F(SimStoreLimboTest, EverythingElseIsRefusedUntilItIsSubmittedAgain) {
  const uint64_t id = make_limbo();
  EXPECT_EQ(publish(event(id + 1000)).status, Status::kFailed);
  EXPECT_EQ(write(section(1)).status, Status::kFailed);
  EXPECT_FALSE(store_.take_shard(3));
  EXPECT_EQ(publish(event(id)).status, Status::kCommitted);
  EXPECT_TRUE(store_.is_idle());
  EXPECT_EQ(publish(event(id + 1000)).status, Status::kCommitted);
}

TEST_F(SimStoreLimboTest, ACrashRevealsIt) {
  const uint64_t id = make_limbo();
  store_.crash();
  EXPECT_TRUE(store_.tables().find_event({id}).has_value());
  EXPECT_TRUE(store_.is_idle());
}

}  // namespace
}  // namespace sim
