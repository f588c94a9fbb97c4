#include "sim/sim_tables.h"

#include <gtest/gtest.h>

namespace sim {
namespace {

using base::DeliveryId;
using base::Duration;
using base::Instant;
using model::DueRange;
using model::EndState;

constexpr Instant kStart = Instant::from_ms(1'790'000'000'000);
constexpr base::EndpointId kEndpoint = base::EndpointId::make(3, 1);

Instant after(int64_t ms) { return kStart + Duration::ms(ms); }

class TablesTest : public ::testing::Test {
 protected:
  struct New {
    int64_t due = 0;
    int64_t last_slot = 1000;
    uint64_t object = 0;
    bool recorded = true;
  };

  model::Delivery publish(const New& what) {
    model::Delivery delivery;
    delivery.endpoint = kEndpoint;
    delivery.tenant = {1};
    delivery.subscription = {1};
    delivery.object = {what.object};
    delivery.queued_at = after(what.due);
    delivery.due = after(what.due);
    delivery.last_slot = after(what.last_slot);
    delivery.recorded = what.recorded;
    return tables_
        .publish({.event = {++last_event_},
                  .tenant = {1},
                  .queued_at = kStart,
                  .deliveries = {delivery}})
        .deliveries.at(0);
  }

  std::vector<model::Delivery> end(const model::Delivery& delivery,
                                   EndState how = EndState::kDelivered) {
    model::DeliveryChange change{
        .delivery = delivery.id, .attempt = {}, .removed = {}, .placed = {}, .end = how};
    if (tables_.find(delivery.id)->delivery.recorded) {
      change.removed = delivery;
    }
    return tables_.apply(change);
  }

  model::DuePage due(uint32_t limit, model::DueKey from = {}, Instant until = Instant::never()) {
    return tables_.due({.endpoint = kEndpoint,
                        .queue = model::kSharedQueue,
                        .range = DueRange::kFirst,
                        .from = from,
                        .until = until,
                        .limit = limit});
  }

  Tables tables_{true};
  uint64_t last_event_ = 0;
};

TEST_F(TablesTest, DuePagesAreInOrderAndSayWhetherThereIsMore) {
  publish({.due = 30});
  publish({.due = 10});
  publish({.due = 20});
  const model::DuePage two = due(2);
  ASSERT_EQ(two.deliveries.size(), 2U);
  EXPECT_EQ(two.deliveries[0].due, after(10));
  EXPECT_EQ(two.deliveries[1].due, after(20));
  EXPECT_FALSE(two.complete);
  EXPECT_TRUE(due(3).complete);
}

TEST_F(TablesTest, ADuePageBeginsAtFromAndEndsBeforeUntil) {
  publish({.due = 10});
  publish({.due = 20});
  publish({.due = 30});
  const model::DuePage page = due(9, {.due = after(20), .delivery = {}}, after(30));
  ASSERT_EQ(page.deliveries.size(), 1U);
  EXPECT_EQ(page.deliveries[0].due, after(20));
  EXPECT_TRUE(page.complete);
}

TEST_F(TablesTest, WhatHasNoRecordIsInNoPage) {
  publish({.recorded = false});
  EXPECT_TRUE(due(9).deliveries.empty());
  EXPECT_TRUE(tables_.expired({.shard = 3, .from = {}, .until = after(5000), .limit = 9})
                  .deliveries.empty());
}

TEST_F(TablesTest, ExpiryPagesIncludeTheirLimitInTime) {
  publish({.last_slot = 100});
  publish({.last_slot = 101});
  const model::ExpiryPage page =
      tables_.expired({.shard = 3, .from = {}, .until = after(100), .limit = 9});
  EXPECT_EQ(page.deliveries.size(), 1U);
  EXPECT_EQ(page.next, after(101));
}

TEST_F(TablesTest, ExpiryPagesIncludeNoMoreThanTheirLimitInNumber) {
  publish({.last_slot = 100});
  publish({.last_slot = 100});
  const model::ExpiryPage page =
      tables_.expired({.shard = 3, .from = {}, .until = after(100), .limit = 1});
  EXPECT_EQ(page.deliveries.size(), 1U);
  EXPECT_EQ(page.next, after(100));
}

TEST_F(TablesTest, AnEndedDeliveryLeavesBothIndices) {
  const model::Delivery delivery = publish({});
  end(delivery);
  EXPECT_TRUE(due(9).deliveries.empty());
  EXPECT_EQ(tables_.expired({.shard = 3, .from = {}, .until = after(5000), .limit = 9}).next,
            Instant::never());
}

TEST_F(TablesTest, APlacedRecordReplacesTheOldOne) {
  model::Delivery delivery = publish({.due = 10});
  model::Delivery moved = delivery;
  moved.due = after(500);
  moved.range = DueRange::kRetry;
  tables_.apply(
      {.delivery = delivery.id, .attempt = {}, .removed = delivery, .placed = moved, .end = {}});
  EXPECT_TRUE(due(9).deliveries.empty());
  EXPECT_EQ(tables_.find(delivery.id)->delivery.due, after(500));
}

TEST_F(TablesTest, ALaterDeliveryOfAnObjectIsBlocked) {
  const model::Delivery first = publish({.object = 5, .recorded = false});
  const model::Delivery second = publish({.object = 5, .recorded = false});
  const model::Delivery other = publish({.object = 6, .recorded = false});
  EXPECT_FALSE(first.blocked);
  EXPECT_TRUE(second.blocked);
  EXPECT_TRUE(second.recorded);
  EXPECT_FALSE(other.blocked);
  EXPECT_TRUE(due(9).deliveries.empty());
}

TEST_F(TablesTest, TheEndOfTheFirstPromotesTheNextHoweverItEnded) {
  for (const EndState how : {EndState::kDelivered, EndState::kDropped, EndState::kCancelled}) {
    const model::Delivery first = publish({.object = 5});
    const model::Delivery second = publish({.object = 5});
    const auto promoted = end(first, how);
    ASSERT_EQ(promoted.size(), 1U);
    EXPECT_EQ(promoted[0].id, second.id);
    EXPECT_FALSE(promoted[0].blocked);
    EXPECT_EQ(due(9).deliveries.size(), 1U);
    EXPECT_TRUE(end(promoted[0]).empty());
  }
}

TEST_F(TablesTest, TheEndOfABlockedOnePromotesNobody) {
  publish({.object = 5});
  const model::Delivery second = publish({.object = 5});
  publish({.object = 5});
  EXPECT_TRUE(end(second, EndState::kCancelled).empty());
}

TEST_F(TablesTest, ABlockedDeliveryCanBeGivenUp) {
  publish({.last_slot = 900, .object = 5});
  publish({.last_slot = 100, .object = 5});
  EXPECT_EQ(
      tables_.expired({.shard = 3, .from = {}, .until = after(100), .limit = 9}).deliveries.size(),
      1U);
}

TEST_F(TablesTest, ASnapshotHasTheBeginningOfEachQueueAndTheTail) {
  publish({.due = 30});
  publish({.due = 10});
  const model::Delivery in_memory = publish({.recorded = false});
  const model::ShardSnapshot snapshot = tables_.snapshot(3);
  ASSERT_EQ(snapshot.endpoints.size(), 1U);
  ASSERT_EQ(snapshot.endpoints[0].queues.size(), 1U);
  EXPECT_EQ(snapshot.endpoints[0].queues[0].first_due, after(10));
  EXPECT_EQ(snapshot.endpoints[0].queues[0].retry_due, std::nullopt);
  EXPECT_EQ(snapshot.tail.back().delivery.id, in_memory.id);
  EXPECT_TRUE(snapshot.tail.back().unfinished);
  EXPECT_EQ(snapshot.next_expiry, after(1000));
}

TEST_F(TablesTest, TheTailBeginsAtTheLowWaterMark) {
  publish({});
  publish({});
  tables_.raise_low_water(2);
  EXPECT_EQ(tables_.snapshot(3).tail.size(), 1U);
}

TEST_F(TablesTest, AnotherShardHasNothingOfIt) {
  publish({});
  const model::ShardSnapshot snapshot = tables_.snapshot(4);
  EXPECT_TRUE(snapshot.endpoints.empty());
  EXPECT_TRUE(snapshot.tail.empty());
  EXPECT_EQ(snapshot.next_expiry, Instant::never());
}

TEST_F(TablesTest, ForgettingEndedDeliveriesKeepsTheTally) {
  Tables forgetful(false);
  model::Delivery delivery;
  delivery.endpoint = kEndpoint;
  const auto queued =
      forgetful
          .publish({.event = {1}, .tenant = {1}, .queued_at = kStart, .deliveries = {delivery}})
          .deliveries;
  forgetful.apply({.delivery = queued.at(0).id,
                   .attempt = {},
                   .removed = {},
                   .placed = {},
                   .end = EndState::kDelivered});
  EXPECT_EQ(forgetful.find(queued.at(0).id), nullptr);
  EXPECT_EQ(forgetful.tally().delivered, 1U);
}

TEST_F(TablesTest, ADeliveryDoesNotEndTwice) {
  const model::Delivery delivery = publish({.recorded = false});
  end(delivery);
  EXPECT_DEATH(end(delivery), "CHECK failed");
}

}  // namespace
}  // namespace sim
