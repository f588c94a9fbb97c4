#include <gtest/gtest.h>

#include "tests/sim/checks/story.h"

namespace checks {
namespace {

using model::Lane;

TEST(BudgetsTest, AnEndpointTakesAsManyAsItMayAndNoMore) {
  Story story(Settings{.endpoint_in_flight_max = 2});
  story.queue(1).queue(2).queue(3).start(1).start(2);
  EXPECT_EQ(story.broken(), "");
  story.start(3);
  EXPECT_EQ(story.broken(), "endpoint-in-flight");
}

TEST(BudgetsTest, AnAttemptCountsUntilItIsDurable) {
  Story story(Settings{.endpoint_in_flight_max = 1});
  story.queue(1).queue(2).start(1).end(1, 200).write_delivered(1).start(2);
  EXPECT_EQ(story.broken(), "endpoint-in-flight");
}

TEST(BudgetsTest, TheRetryLaneGetsHalfOfAnEndpoint) {
  Story story(Settings{.endpoint_in_flight_max = 4});
  for (uint64_t id = 1; id <= 3; ++id) {
    story.queue(id, {.range = model::DueRange::kRetry}).start_retry(id);
  }
  EXPECT_EQ(story.broken(), "endpoint-retry-lane");
}

TEST(BudgetsTest, TheRetryLaneGetsHalfOfAll) {
  Story story(Settings{.in_flight_max = 4});
  for (uint64_t id = 1; id <= 3; ++id) {
    story.queue(id, {.endpoint = id, .range = model::DueRange::kRetry}).start_retry(id);
  }
  EXPECT_EQ(story.broken(), "total-retry-lane");
}

TEST(BudgetsTest, UnprovenEndpointsGetHalfOfWhatIsLeft) {
  Story story(Settings{.in_flight_max = 8});
  story.queue(1).queue(2).queue(3).start(1).start(2);
  EXPECT_EQ(story.broken(), "");
  story.start(3);
  EXPECT_EQ(story.broken(), "total-unproven");
}

TEST(BudgetsTest, ProvenEndpointsGetTheRest) {
  Story story(Settings{.in_flight_max = 4});
  story.queue(9).deliver(9);
  for (uint64_t id = 10; id <= 13; ++id) {
    story.queue(id).start(id);
  }
  EXPECT_EQ(story.broken(), "");
  story.queue(14).start(14);
  EXPECT_EQ(story.broken(), "total-in-flight");
}

TEST(BudgetsTest, ASubscriptionsOwnCapIsKept) {
  Story story;
  story.tell(SubscriptionSet{.settings = {.id = {1}, .in_flight_max = 1}});
  story.queue(1).queue(2).start(1).start(2);
  EXPECT_EQ(story.broken(), "subscription-in-flight");
}

TEST(BudgetsTest, ARateLimitSpacesStartsToTheFraction) {
  Story story;
  story.tell(SubscriptionSet{.settings = {.id = {1}, .rate_limit = model::RateLimit{.count = 3}}});
  story.queue(1).queue(2).queue(3).queue(4).start(1).at(334).start(2).at(667).start(3);
  EXPECT_EQ(story.broken(), "");
  story.at(999).start(4);  // three in a second: the fourth is at 1000
  EXPECT_EQ(story.broken(), "subscription-rate");
}

TEST(MemoryTest, AFirstAttemptThatCannotStartGetsItsRecordWithinTwoSeconds) {
  Story story;
  story.queue(1).queue(2).start(1).at(2'001).end(1, 200);
  EXPECT_EQ(story.broken(), "memory-time");
}

TEST(BudgetsTest, MemoryBeyondItsBoundsIsReported) {
  Story story;
  story.tell(Counts{.memory_only_max = 64, .window_size_max = 32, .held_window_max = 1});
  EXPECT_EQ(story.broken(), "");
  story.tell(Counts{.held_window_max = 2});
  EXPECT_EQ(story.broken(), "memory-bound");
}

TEST(LanesTest, AFirstAttemptInTheRetryLaneIsReported) {
  Story story;
  story.queue(1).start_retry(1);
  EXPECT_EQ(story.broken(), "wrong-lane");
}

TEST(LanesTest, ARetryInTheFreshLaneIsReported) {
  Story story;
  story.queue(1).fail(1, 84'800).at(84'800).start(1);
  EXPECT_EQ(story.broken(), "wrong-lane");
}

TEST(LanesTest, WhatWasHeldDrainsInTheRetryLane) {
  Story story;
  story.pause().queue(1).at(10).resume().queue(2).start_retry(1).start(2);
  EXPECT_EQ(story.broken(), "");
}

TEST(LanesTest, WhatWasHeldInTheFreshLaneIsReported) {
  Story story;
  story.pause().queue(1).at(10).resume().start(1);
  EXPECT_EQ(story.broken(), "wrong-lane");
}

TEST(RampTest, DrainsOneThenTwo) {
  Story story;
  story.pause();
  for (uint64_t id = 1; id <= 4; ++id) {
    story.queue(id);
  }
  story.at(10).resume().start_retry(1).end(1, 200).write_delivered(1).commit();
  story.start_retry(2).start_retry(3);
  EXPECT_EQ(story.broken(), "");
  story.start_retry(4);
  EXPECT_EQ(story.broken(), "ramp");
}

TEST(RampTest, AFailureHalvesIt) {
  Story story;
  story.pause();
  for (uint64_t id = 1; id <= 5; ++id) {
    story.queue(id);
  }
  story.at(10).resume().start_retry(1).end(1, 200).write_delivered(1).commit();
  story.start_retry(2).end(2, 500).write_retry(2, 84'800).commit();
  story.start_retry(3);
  EXPECT_EQ(story.broken(), "");
  story.start_retry(4);
  EXPECT_EQ(story.broken(), "ramp");
}

TEST(RampTest, TheEarliestDueDrainsFirst) {
  Story story;
  story.pause().queue(1).at(1).queue(2).at(10'000).resume().start_retry(2);
  EXPECT_EQ(story.broken(), "drain-order");
}

TEST(RampTest, ARestartBeginsAtOne) {
  Story story;
  story.pause();
  for (uint64_t id = 1; id <= 3; ++id) {
    story.queue(id);
  }
  story.at(10).resume().start_retry(1).end(1, 200).write_delivered(1).commit();
  story.at(20).crash().tell(Restarted{}).start_retry(2);
  EXPECT_EQ(story.broken(), "");
  story.start_retry(3);
  EXPECT_EQ(story.broken(), "ramp");
}

TEST(RampTest, ARestartMakesNoRampForWhatWasNeverHeld) {
  Story story;
  story.queue(1, {.range = model::DueRange::kRetry});
  story.queue(2, {.range = model::DueRange::kRetry});
  story.at(10).crash().tell(Restarted{}).start_retry(1).start_retry(2);
  EXPECT_EQ(story.broken(), "");
}

TEST(OrderingTest, TheNextStartsAfterTheEndOfTheFirstIsDurable) {
  Story story;
  story.queue(1, {.object = 5}).queue(2, {.object = 5}).deliver(1).deliver(2);
  EXPECT_EQ(story.broken(), "");
}

TEST(OrderingTest, AStartBehindAnUnfinishedOneIsReported) {
  Story story;
  story.queue(1, {.object = 5}).queue(2, {.object = 5}).start(1).end(1, 200).write_delivered(1);
  story.start(2);
  EXPECT_EQ(story.broken(), "out-of-order");
}

TEST(OrderingTest, OtherObjectsAndRedeliveriesDoNotWait) {
  Story story;
  story.queue(1, {.object = 5}).start(1).queue(2, {.object = 6}).start(2);
  story.queue(3, {.object = 5, .range = model::DueRange::kRetry}).start_retry(3);
  EXPECT_EQ(story.broken(), "");
}

}  // namespace
}  // namespace checks
