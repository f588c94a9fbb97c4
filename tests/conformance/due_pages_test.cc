// The due index: pages of one range of one queue, in the order of due times.

#include <gtest/gtest.h>

#include "tests/conformance/describe.h"
#include "tests/conformance/store_suite.h"

namespace conformance {
namespace {

using model::Delivery;
using model::DueKey;
using model::DueRange;

class DuePages : public StoreSuite {
 protected:
  static model::DueQuery query(uint32_t limit) {
    return {.endpoint = kEndpoint,
            .queue = model::kSharedQueue,
            .range = DueRange::kFirst,
            .from = {},
            .limit = limit};
  }

  static std::vector<int64_t> times_of(const model::DuePage& page) {
    std::vector<int64_t> times;
    for (const Delivery& delivery : page.deliveries) {
      times.push_back((delivery.due - kStart).count_ms());
    }
    return times;
  }

  static DueKey behind(const DueKey& key) {
    return {.due = key.due, .delivery = {key.delivery.value + 1}};
  }

  using Times = std::vector<int64_t>;
};

HOLD_EVERY_STORE_TO(DuePages);

TEST_P(DuePages, AreInTheOrderOfDueTimes) {
  publish_one({.queued = 30});
  publish_one({.queued = 10});
  publish_one({.queued = 20});
  EXPECT_EQ(times_of(due(9)), (Times{10, 20, 30}));
}

TEST_P(DuePages, AreInTheOrderOfIdsWhereTimesAreEqual) {
  const Delivery first = publish_one({.queued = 10});
  const Delivery second = publish_one({.queued = 10});
  const Delivery third = publish_one({.queued = 10});
  EXPECT_EQ(ids_of(due(9).deliveries),
            (std::vector<base::DeliveryId>{first.id, second.id, third.id}));
}

TEST_P(DuePages, HoldTheDeliveriesAsTheyWait) {
  const Delivery delivery = publish_one({.subscription = 7, .queued = 10});
  const model::DuePage page = due(9);
  ASSERT_EQ(page.deliveries.size(), 1U);
  EXPECT_EQ(describe(page.deliveries[0]), describe(delivery));
}

TEST_P(DuePages, HoldNoMoreThanTheirLimitAndSaySo) {
  for (const int64_t queued : {10, 20, 30}) {
    publish_one({.queued = queued});
  }
  EXPECT_EQ(times_of(due(2)), (Times{10, 20}));
  EXPECT_FALSE(due(2).complete);
  EXPECT_EQ(times_of(due(3)), (Times{10, 20, 30}));
  EXPECT_TRUE(due(3).complete);
  EXPECT_TRUE(due(4).complete);
}

TEST_P(DuePages, BeginAtFromAndEndBeforeUntil) {
  for (const int64_t queued : {10, 20, 30}) {
    publish_one({.queued = queued});
  }
  model::DueQuery middle = query(9);
  middle.from = {.due = after(20), .delivery = {}};
  middle.until = after(30);
  EXPECT_EQ(times_of(due(middle)), (Times{20}));
  EXPECT_TRUE(due(middle).complete);
  middle.until = after(31);
  EXPECT_EQ(times_of(due(middle)), (Times{20, 30}));
  middle.limit = 1;
  EXPECT_FALSE(due(middle).complete);
}

TEST_P(DuePages, APageThatIsFullAtUntilIsComplete) {
  publish_one({.queued = 10});
  publish_one({.queued = 20});
  model::DueQuery early = query(1);
  early.until = after(20);
  EXPECT_TRUE(due(early).complete);
}

TEST_P(DuePages, ContinueFromTheirLastKey) {
  std::vector<base::DeliveryId> all;
  for (int64_t i = 0; i < 25; ++i) {
    all.push_back(publish_one({.queued = i / 4}).id);
  }
  std::vector<base::DeliveryId> seen;
  model::DueQuery next = query(7);
  for (bool is_complete = false; !is_complete;) {
    const model::DuePage page = due(next);
    ASSERT_FALSE(page.deliveries.empty());
    ASSERT_LE(page.deliveries.size(), 7U);
    for (const Delivery& delivery : page.deliveries) {
      seen.push_back(delivery.id);
    }
    next.from = behind(page.deliveries.back().key());
    is_complete = page.complete;
  }
  EXPECT_EQ(seen, all);
}

TEST_P(DuePages, FromIncludesItsOwnKey) {
  const Delivery first = publish_one({.queued = 10});
  const Delivery second = publish_one({.queued = 10});
  model::DueQuery exact = query(9);
  exact.from = second.key();
  EXPECT_EQ(ids_of(due(exact).deliveries), (std::vector<base::DeliveryId>{second.id}));
  exact.from = behind(first.key());
  EXPECT_EQ(ids_of(due(exact).deliveries), (std::vector<base::DeliveryId>{second.id}));
}

TEST_P(DuePages, WhatHasNoRecordIsInNoPage) {
  publish_one(kInMemory);
  EXPECT_TRUE(due(9).deliveries.empty());
  EXPECT_TRUE(due(9).complete);
}

TEST_P(DuePages, ASpilledDeliveryIsFoundAtItsTime) {
  const Delivery delivery = publish_one({.queued = 10, .recorded = false});
  write({spilled(delivery)});
  EXPECT_EQ(times_of(due(9)), (Times{10}));
  EXPECT_TRUE(due(9).deliveries.at(0).recorded);
}

TEST_P(DuePages, RangesAreApart) {
  const Delivery first = publish_one({.queued = 10});
  const Delivery second = publish_one({.queued = 20});
  write({failed(first, 5)});
  EXPECT_EQ(ids_of(due(9).deliveries), (std::vector<base::DeliveryId>{second.id}));
  EXPECT_EQ(ids_of(due(9, DueRange::kRetry).deliveries), (std::vector<base::DeliveryId>{first.id}));
}

TEST_P(DuePages, QueuesAreApart) {
  publish_one({.queued = 10});
  publish_one({.subscription = 8, .queue = {8}, .queued = 20});
  publish_one({.subscription = 9, .queue = {9}, .queued = 30});
  model::DueQuery own = query(9);
  own.queue = {8};
  EXPECT_EQ(times_of(due(9)), (Times{10}));
  EXPECT_EQ(times_of(due(own)), (Times{20}));
  EXPECT_TRUE(due(own).complete);
}

TEST_P(DuePages, EndpointsAreApart) {
  publish_one({.queued = 10});
  publish_one({.endpoint = base::EndpointId::make(kShard, 2), .queued = 20});
  publish_one({.endpoint = base::EndpointId::make(255, 1), .queued = 30});
  model::DueQuery other = query(9);
  other.endpoint = base::EndpointId::make(255, 1);
  EXPECT_EQ(times_of(due(9)), (Times{10}));
  EXPECT_TRUE(due(9).complete);
  EXPECT_EQ(times_of(due(other)), (Times{30}));
  other.endpoint = base::EndpointId::make(kShard, 3);
  EXPECT_TRUE(due(other).deliveries.empty());
  EXPECT_TRUE(due(other).complete);
}

TEST_P(DuePages, ARetryReplacesTheRecordBefore) {
  Delivery delivery = publish_one({.queued = 10});
  for (const int64_t next : {500, 900, 700}) {
    write({failed(delivery, next)});
    delivery = retry_of(delivery, next);
    EXPECT_EQ(times_of(due(9, DueRange::kRetry)), (Times{next}));
  }
  EXPECT_TRUE(due(9).deliveries.empty());
  EXPECT_EQ(due(9, DueRange::kRetry).deliveries.at(0).attempts, 3U);
}

TEST_P(DuePages, AMovedRecordIsInItsNewQueueOnly) {
  const Delivery delivery = publish_one({.subscription = 8, .queued = 10});
  Delivery moved = delivery;
  moved.queue = {8};
  write({placed(delivery, moved)});
  model::DueQuery own = query(9);
  own.queue = {8};
  EXPECT_TRUE(due(9).deliveries.empty());
  ASSERT_EQ(times_of(due(own)), (Times{10}));
  EXPECT_EQ(describe(due(own).deliveries[0]), describe(moved));
}

TEST_P(DuePages, AnEndedDeliveryIsInNoPage) {
  const Delivery first = publish_one({.queued = 10});
  const Delivery second = publish_one({.queued = 20});
  const Delivery third = publish_one({.queued = 30});
  const Delivery fourth = publish_one({.queued = 40});
  write({failed(first, 500)});
  write({delivered(retry_of(first, 500)), ended(second, model::EndState::kDropped),
         ended(third, model::EndState::kCancelled)});
  EXPECT_EQ(ids_of(due(9).deliveries), (std::vector<base::DeliveryId>{fourth.id}));
  EXPECT_TRUE(due(9, DueRange::kRetry).deliveries.empty());
}

TEST_P(DuePages, ARecordThatComesAndGoesInOneBatchLeavesNoTrace) {
  const Delivery delivery = publish_one(kInMemory);
  Delivery recorded = delivery;
  recorded.recorded = true;
  commit({.publishes = {},
          .sections = {next_section({spilled(delivery)}), next_section({failed(recorded, 500)}),
                       next_section({delivered(retry_of(recorded, 500))})},
          .low_water = {}});
  EXPECT_TRUE(due(9).deliveries.empty());
  EXPECT_TRUE(due(9, DueRange::kRetry).deliveries.empty());
  EXPECT_EQ(expired(9).next, base::Instant::never());
  EXPECT_EQ(end_of(delivery.id), model::EndState::kDelivered);
}

TEST_P(DuePages, SurviveARestart) {
  const Delivery first = publish_one({.queued = 10});
  publish_one({.queued = 20});
  write({failed(first, 500)});
  restart();
  EXPECT_EQ(times_of(due(9)), (Times{20}));
  EXPECT_EQ(times_of(due(9, DueRange::kRetry)), (Times{500}));
}

}  // namespace
}  // namespace conformance
