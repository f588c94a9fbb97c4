// Where deliveries wait: memory, records, windows; limits of subscriptions; order.

#include <gtest/gtest.h>

#include "core/core_rig.h"

namespace core {
namespace {

using base::DeliveryId;
using base::Duration;
using model::Lane;
using Ids = std::vector<DeliveryId>;

constexpr Duration kTick = Duration::ms(1);
constexpr int kCap = 10;  // attempts in flight per endpoint

// The endpoint is busy: everything queued after this waits.
void fill_endpoint(CoreRig& rig) { rig.queue_many(kCap); }

TEST(SpillTest, AnEndpointHasTenInFlight) {
  CoreRig rig;
  rig.queue_many(kCap + 1);
  EXPECT_EQ(rig.take_starts().size(), 10U);
}

TEST(SpillTest, AFirstAttemptWaitsInMemoryForTwoSeconds) {
  CoreRig rig;
  fill_endpoint(rig);
  const DeliveryId waiting = rig.queue();
  rig.run_to(Duration::seconds(2) - kTick);
  EXPECT_TRUE(rig.disk().empty());
  rig.run_to(Duration::seconds(2));
  ASSERT_TRUE(rig.disk().contains(waiting));
  EXPECT_EQ(rig.disk().at(waiting).due, kRigStart);
  EXPECT_EQ(rig.core().footprint().memory_only_max, 0U);
}

TEST(SpillTest, AThousandWaitInMemory) {
  CoreRig rig;
  fill_endpoint(rig);
  rig.queue_many(1024);
  EXPECT_EQ(rig.core().footprint().memory_only_max, 1024U);
  EXPECT_TRUE(rig.disk().empty());
}

TEST(SpillTest, OneMoreSendsThemAllToDisk) {
  CoreRig rig;
  fill_endpoint(rig);
  rig.queue_many(1025);
  EXPECT_EQ(rig.core().footprint().memory_only_max, 0U);
  EXPECT_EQ(rig.disk().size(), 1025U);
}

TEST(SpillTest, NewOnesJoinTheSpilledInOrder) {
  CoreRig rig;
  fill_endpoint(rig);
  rig.queue();
  rig.run_to(Duration::seconds(2));
  EXPECT_TRUE(rig.core().wants_record(CoreRig::endpoint_id(1), model::kSharedQueue));
  const DeliveryId late = rig.queue();
  EXPECT_TRUE(rig.disk().contains(late));
  rig.finish_all(kOk);
  EXPECT_EQ(rig.started(), (Ids{DeliveryId::make(11, 0), DeliveryId::make(12, 0)}));
}

TEST(SpillTest, AThousandArriveInOrderThroughASmallWindow) {
  CoreRig rig;
  fill_endpoint(rig);
  rig.queue_many(1000);
  EXPECT_LE(rig.core().footprint().window_size_max, 32U);
  Ids order;
  do {
    for (const DeliveryId id : rig.started()) {
      order.push_back(id);
    }
    EXPECT_LE(rig.core().footprint().window_size_max, 32U);
  } while (rig.finish_all(kOk) > 0);
  EXPECT_EQ(order.size(), 1010U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(SpillTest, SpilledFirstAttemptsStayInTheFreshLane) {
  CoreRig rig;
  fill_endpoint(rig);
  rig.queue();
  rig.run_to(Duration::seconds(3));
  rig.finish_all(kOk);
  EXPECT_EQ(rig.only_start().lane, Lane::kFresh);
}

TEST(HeldTest, AHeldEndpointKeepsNoWindow) {
  CoreRig rig;
  rig.command(EndpointAction::kPause);
  rig.queue_many(100);
  rig.run_to(Duration::minutes(1));
  const Footprint footprint = rig.core().footprint();
  EXPECT_EQ(footprint.held_window_max, 0U);
  EXPECT_EQ(footprint.memory_only_max, 0U);
  EXPECT_EQ(rig.disk().size(), 100U);
}

TEST(HeldTest, WhatWaitsInMemoryGetsARecordWhenTheCircuitCloses) {
  CoreRig rig;
  fill_endpoint(rig);
  const DeliveryId waiting = rig.queue();
  rig.command(EndpointAction::kPause);
  EXPECT_TRUE(rig.disk().contains(waiting));
}

TEST(HeldTest, NewDeliveriesOfAHeldEndpointWantARecordAtOnce) {
  CoreRig rig;
  EXPECT_FALSE(rig.core().wants_record(CoreRig::endpoint_id(1), model::kSharedQueue));
  rig.command(EndpointAction::kPause);
  EXPECT_TRUE(rig.core().wants_record(CoreRig::endpoint_id(1), model::kSharedQueue));
}

TEST(LanesTest, RetriesOfAnEndpointGetHalfOfItsPlaces) {
  CoreRig rig;
  rig.queue_many(kCap);
  rig.finish_all(kBroken);
  rig.run_to(Duration::ms(84'800));
  EXPECT_EQ(rig.take_starts().size(), 5U);
}

TEST(LanesTest, ARedeliveryUsesTheRetryLane) {
  CoreRig rig;
  rig.queue({.recorded = true, .range = model::DueRange::kRetry});
  EXPECT_EQ(rig.only_start().lane, Lane::kRetry);
}

TEST(LanesTest, EndpointsThatNeverSucceededGetAQuarterOfAllPlaces) {
  Options options;
  options.lanes.in_flight_max = 16;
  CoreRig rig(options);
  for (uint64_t endpoint = 1; endpoint <= 10; ++endpoint) {
    rig.queue({.endpoint = endpoint});
  }
  EXPECT_EQ(rig.take_starts().size(), 4U);
}

TEST(LanesTest, DeadEndpointsDoNotDelayAHealthyOne) {
  Options options;
  options.lanes.in_flight_max = 16;
  CoreRig rig(options);
  rig.queue({.endpoint = 99});
  rig.finish(rig.only_start(), kOk);
  for (uint64_t endpoint = 1; endpoint <= 20; ++endpoint) {
    rig.queue({.endpoint = endpoint});
  }
  rig.take_starts();
  const DeliveryId healthy = rig.queue({.endpoint = 99});
  EXPECT_EQ(rig.only_start().delivery.id, healthy);
}

model::SubscriptionSettings limited(model::RateLimit limit) {
  return {.id = {1}, .rate_limit = limit};
}

TEST(RateLimitTest, SpacesStartsEvenly) {
  CoreRig rig;
  rig.step(SubscriptionChanged{.settings = limited({.count = 2, .period = Duration::seconds(10)})});
  for (int i = 0; i < 3; ++i) {
    rig.queue({.own_queue = true});
  }
  EXPECT_EQ(rig.take_starts().size(), 1U);
  rig.run_to(Duration::seconds(5) - kTick);
  EXPECT_TRUE(rig.take_starts().empty());
  rig.run_to(Duration::seconds(5));
  EXPECT_EQ(rig.take_starts().size(), 1U);
  rig.run_to(Duration::seconds(10));
  EXPECT_EQ(rig.take_starts().size(), 1U);
}

TEST(RateLimitTest, DoesNotDelayItsNeighbours) {
  CoreRig rig;
  rig.step(SubscriptionChanged{.settings = limited({.count = 1, .period = Duration::hours(1)})});
  rig.queue({.own_queue = true});
  rig.queue({.own_queue = true});
  rig.take_starts();
  const DeliveryId neighbour = rig.queue({.subscription = 2});
  EXPECT_EQ(rig.only_start().delivery.id, neighbour);
}

TEST(RateLimitTest, OutlivesAnIdleQueue) {
  CoreRig rig;
  rig.step(SubscriptionChanged{.settings = limited({.count = 1, .period = Duration::minutes(1)})});
  rig.queue({.own_queue = true});
  rig.finish(rig.only_start(), kOk);
  rig.run_to(Duration::seconds(30));
  rig.queue({.own_queue = true});
  EXPECT_TRUE(rig.take_starts().empty());
  rig.run_to(Duration::minutes(1));
  EXPECT_EQ(rig.take_starts().size(), 1U);
}

TEST(RateLimitTest, AnOwnFailureCostsNoPace) {
  CoreRig rig;
  rig.step(SubscriptionChanged{.settings = limited({.count = 1, .period = Duration::minutes(1)})});
  rig.queue({.own_queue = true});
  rig.finish(rig.only_start(), kNoStart);
  rig.run_to(Duration::seconds(1));
  EXPECT_EQ(rig.take_starts().size(), 1U);
}

TEST(RateLimitTest, OneThatIsGivenBackKeepsNobodyInMemoryForLonger) {
  CoreRig rig;
  rig.step(SubscriptionChanged{.settings = limited({.count = 1, .period = Duration::minutes(1)})});
  const DeliveryId given_back = rig.queue({.own_queue = true});
  rig.finish(rig.only_start(), kNoStart);
  rig.queue({.own_queue = true});  // takes the place in time that has become free
  EXPECT_EQ(rig.take_starts().size(), 1U);
  rig.run_to(Duration::ms(500));
  const DeliveryId waiting = rig.queue({.own_queue = true});
  rig.run_to(Duration::ms(2500) - kTick);
  EXPECT_TRUE(rig.take_starts().empty());
  EXPECT_TRUE(rig.disk().empty());
  rig.run_to(Duration::ms(2500));
  EXPECT_TRUE(rig.disk().contains(waiting));
  EXPECT_TRUE(rig.disk().contains(given_back));
}

TEST(CapTest, ASubscriptionHasNoMoreInFlightThanItsCap) {
  CoreRig rig;
  rig.step(SubscriptionChanged{.settings = {.id = {1}, .in_flight_max = 2}});
  for (int i = 0; i < 5; ++i) {
    rig.queue({.own_queue = true});
  }
  const auto starts = rig.take_starts();
  EXPECT_EQ(starts.size(), 2U);
  rig.finish(starts[0], kOk);
  EXPECT_EQ(rig.take_starts().size(), 1U);
}

TEST(CapTest, ASubscriptionAtItsCapDoesNotDelayTheRetriesOfItsNeighbours) {
  CoreRig rig;
  rig.step(SubscriptionChanged{.settings = {.id = {1}, .in_flight_max = 1}});
  rig.queue({.own_queue = true});
  rig.queue({.own_queue = true});  // due, and blocked by the cap
  rig.take_starts();
  const DeliveryId neighbour = rig.queue({.subscription = 2});
  rig.finish(rig.only_start(), kBroken);
  rig.run_to(Duration::ms(84'800));
  EXPECT_EQ(rig.only_start().delivery.id, neighbour);
}

TEST(CapTest, ALimitThatComesLaterHoldsForWhatWasQueuedBefore) {
  CoreRig rig;
  fill_endpoint(rig);
  rig.queue_many(4);
  rig.run_to(Duration::seconds(2));  // they have records now
  rig.step(SubscriptionChanged{.settings = {.id = {1}, .in_flight_max = 1}});
  EXPECT_EQ(rig.finish_all(kOk), 10U);
  for (int left = 4; left > 0; --left) {
    EXPECT_EQ(rig.finish_all(kOk), 1U);
  }
  EXPECT_EQ(rig.finish_all(kOk), 0U);
}

TEST(OrderTest, ABlockedDeliveryWaitsUntilItIsPromoted) {
  CoreRig rig;
  rig.queue({.own_queue = true});
  const StartAttempt first = rig.only_start();
  const DeliveryId second = rig.queue({.own_queue = true, .blocked = true});
  rig.run_to(Duration::minutes(1));
  EXPECT_TRUE(rig.take_starts().empty());
  rig.promote(second);
  rig.finish(first, kOk);
  EXPECT_EQ(rig.only_start().delivery.id, second);
}

TEST(OrderTest, AFailureOfTheFirstPromotesNobody) {
  CoreRig rig;
  rig.queue({.own_queue = true});
  const StartAttempt first = rig.only_start();
  rig.queue({.own_queue = true, .blocked = true});
  rig.finish(first, kBroken);
  rig.run_to(Duration::seconds(84));
  EXPECT_TRUE(rig.take_starts().empty());
}

TEST(OrderTest, ABlockedDeliveryOfAHeldEndpointDrainsByTheRampWhenItsTurnComes) {
  CoreRig rig;
  rig.queue({.own_queue = true});
  const StartAttempt first = rig.only_start();
  const DeliveryId second = rig.queue({.own_queue = true, .blocked = true});
  rig.command(EndpointAction::kPause);
  rig.promote(second);
  rig.finish(first, kOk);
  EXPECT_TRUE(rig.take_starts().empty());
  rig.run_to(Duration::seconds(10));
  rig.command(EndpointAction::kResume);
  EXPECT_EQ(rig.only_start().lane, Lane::kRetry);
}

}  // namespace
}  // namespace core
