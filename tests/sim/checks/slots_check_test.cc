#include <gtest/gtest.h>

#include "tests/sim/checks/slot_table.h"
#include "tests/sim/checks/story.h"

namespace checks {
namespace {

constexpr base::Duration kSecond = base::Duration::seconds(1);

TEST(SlotTableTest, CountsFromQueueingAsPublished) {
  const model::RetryPolicy policy;
  const SlotTable table(policy);
  EXPECT_EQ(table.retries(), 11);
  EXPECT_EQ(table.delay(1).count_ms(), 84'800);
  EXPECT_EQ(table.delay(2).count_ms(), 254'400);
  EXPECT_EQ(table.delay(11).count_ms(), 173'585'600);
  EXPECT_EQ(table.last_slot(kOrigin).earliest, kOrigin + kLastSlot);
}

TEST(SlotTableTest, CountsFromThePreviousAttemptAsPublished) {
  const model::RetryPolicy policy{.anchor = model::RetryAnchor::kPreviousAttempt};
  const SlotTable table(policy);
  EXPECT_EQ(table.retries(), 10);
  base::Duration sum;
  for (int n = 1; n <= table.retries(); ++n) {
    sum = sum + table.delay(n);
  }
  EXPECT_EQ(sum.count_ms(), 172'652'800);
  EXPECT_EQ(table.last_slot(kOrigin).latest, after(172'800'000));
  EXPECT_TRUE(
      table.allows({.queued_at = kOrigin, .at = after(10), .number = 2}, {}, after(10 + 254'400)));
  EXPECT_FALSE(table.allows_drop({.queued_at = kOrigin, .at = after(1), .number = 10}));
  EXPECT_TRUE(table.allows_drop({.queued_at = kOrigin, .at = after(1), .number = 11}));
}

TEST(SlotTableTest, JitterMovesASlotOnlyLater) {
  const model::RetryPolicy policy{.jitter_percent = 10};
  const SlotTable table(policy);
  const SlotTable::Failure failure{.queued_at = kOrigin, .at = after(20), .number = 1};
  EXPECT_FALSE(table.allows(failure, {}, after(84'799)));
  EXPECT_TRUE(table.allows(failure, {}, after(84'800)));
  EXPECT_TRUE(table.allows(failure, {}, after(84'800 + 8'480)));
  EXPECT_FALSE(table.allows(failure, {}, after(84'800 + 8'481)));
}

TEST(SlotTableTest, ACustomListIsAsLongAsItIs) {
  const model::RetryPolicy policy{.delays = {kSecond, kSecond * 5}};
  EXPECT_EQ(SlotTable(policy).retries(), 2);
  EXPECT_EQ(SlotTable(policy).last_slot(kOrigin).latest, after(5'000));
}

TEST(SlotsTest, MissedSlotsCollapseIntoTheNextOne) {
  Story story;
  story.queue(1).fail(1, 84'800).at(600'000).tell(StoreTrouble{}).start_retry(1);
  story.end(1, 500).write_retry(1, 1'272'000).commit();
  EXPECT_EQ(story.broken(), "");
}

TEST(SlotsTest, ASlotThatIsNotTheNextIsReported) {
  Story story;
  story.queue(1).fail(1, 254'400);
  EXPECT_EQ(story.broken(), "wrong-slot");
}

TEST(SlotsTest, ARetryBeforeItsSlotIsReported) {
  Story story;
  story.queue(1).fail(1, 84'800).at(84'799).start_retry(1);
  EXPECT_EQ(story.broken(), "started-before-due");
}

TEST(SlotsTest, RetryAfterMovesTheNextAttempt) {
  Story story;
  story.queue(1).start(1).end(1, status(503, kSecond * 100)).write_retry(1, 100'000);
  EXPECT_EQ(story.broken(), "");
}

TEST(SlotsTest, RetryAfterIsCut) {
  Story story;
  story.queue(1).start(1).end(1, status(429, kSecond * 7'200)).write_retry(1, 7'200'000);
  EXPECT_EQ(story.broken(), "wrong-slot");
}

TEST(SlotsTest, RetryAfterOfOtherStatusesIsIgnored) {
  Story story;
  story.queue(1).start(1).end(1, status(500, kSecond * 100)).write_retry(1, 100'000);
  EXPECT_EQ(story.broken(), "wrong-slot");
}

TEST(SlotsTest, ADropWithASlotLeftIsReported) {
  Story story;
  story.queue(1).start(1).end(1, 500).write_dropped(1);
  EXPECT_EQ(story.broken(), "dropped-too-early");
}

TEST(SlotsTest, APolicyOfTheSubscriptionCounts) {
  Story story;
  const model::RetryPolicy policy{.delays = {kSecond}};
  story.tell(SubscriptionSet{.settings = {.id = {1}, .retry = policy}});
  story.queue(1, {.last_slot = kSecond}).fail(1, 1'000);
  story.at(1'000).start_retry(1).end(1, 500).write_dropped(1).commit();
  EXPECT_EQ(story.broken(), "");
}

TEST(SlotsTest, AWrongLastSlotIsReported) {
  Story story;
  story.queue(1, {.last_slot = kSecond});
  EXPECT_EQ(story.broken(), "last-slot");
}

TEST(SlotsTest, AnUntriedDropWhileTheCircuitLetsOutIsReported) {
  Story story;
  story.queue(1).at(kLastSlot.count_ms()).tell(StoreTrouble{});
  story.submit(story.dropped_untried(1));
  EXPECT_EQ(story.broken(), "dropped-untried");
}

TEST(SlotsTest, AHeldDeliveryIsDroppedAtItsLastSlot) {
  Story story;
  story.queue(1).pause().at(kLastSlot.count_ms());
  story.submit(story.dropped_untried(1)).commit();
  EXPECT_EQ(story.broken(), "");
}

TEST(SlotsTest, AHeldDeliveryDroppedTooEarlyIsReported) {
  Story story;
  story.queue(1).pause().at(kLastSlot.count_ms() - 1);
  story.submit(story.dropped_untried(1)).commit();
  EXPECT_EQ(story.broken(), "dropped-too-early");
}

TEST(SlotsTest, ALastSlotThatPassedWhileDownCountsAsTenMinutesAfterTheStart) {
  Story story;
  const int64_t start = kLastSlot.count_ms() + 1'000;
  story.queue(1).pause().at(1'000).crash().at(start).tell(Restarted{});
  story.at(start + 600'000).tell(Counts{}).submit(story.dropped_untried(1)).commit();
  EXPECT_EQ(story.broken(), "");
}

TEST(SlotsTest, ADropWithinTheGraceOfARestartIsReported) {
  Story story;
  const int64_t start = kLastSlot.count_ms() + 1'000;
  story.queue(1).pause().at(1'000).crash().at(start).tell(Restarted{});
  story.at(start + 599'999).submit(story.dropped_untried(1)).commit();
  EXPECT_EQ(story.broken(), "dropped-too-early");
}

TEST(SlotsTest, AHeldDeliveryThatIsNotDroppedIsReported) {
  Story story;
  story.queue(1).pause().at(kLastSlot.count_ms() + 60'000).tell(Counts{});
  EXPECT_EQ(story.broken(), "");
  story.at(kLastSlot.count_ms() + 60'001).tell(Counts{});
  EXPECT_EQ(story.broken(), "held-past-last-slot");
}

TEST(SlotsTest, ASuccessThatIsNotDeliveredIsReported) {
  Story story;
  story.queue(1).start(1).end(1, 204).write_retry(1, 84'800);
  EXPECT_EQ(story.broken(), "success-not-delivered");
}

TEST(SlotsTest, AFailureThatIsDeliveredIsReported) {
  Story story;
  story.queue(1).start(1).end(1, 302).write_delivered(1);
  EXPECT_EQ(story.broken(), "failure-without-next");
}

TEST(SlotsTest, ADeliveryWithoutAnAttemptIsReported) {
  Story story;
  story.queue(1).submit(story.dropped_untried(1, model::EndState::kDelivered));
  EXPECT_EQ(story.broken(), "delivered-untried");
}

TEST(SlotsTest, APlacementThatForgetsWhenItWasQueuedIsReported) {
  Story story;
  story.queue(1).start(1).end(1, 500);
  model::Section section = story.retried(1, 84'800);
  section.deliveries[0].placed->queued_at = after(5);
  story.submit(section);
  EXPECT_EQ(story.broken(), "placed-differs");
}

TEST(SlotsTest, ACancelThatWasAskedForIsFine) {
  Story story;
  story.queue(1);
  story.tell(CommandAsked{.command = 99, .kind = CommandKind::kCancel, .delivery = {1}});
  story.submit(story.dropped_untried(1, model::EndState::kCancelled)).commit();
  story.tell(CommandAnswered{.command = 99, .answer = CommandAnswer::kDone});
  EXPECT_EQ(story.broken(), "");
}

TEST(SlotsTest, ACancelThatNobodyAskedForIsReported) {
  Story story;
  story.queue(1).submit(story.dropped_untried(1, model::EndState::kCancelled));
  EXPECT_EQ(story.broken(), "cancelled-unasked");
}

TEST(SlotsTest, AMoveWithoutAnAttemptIsReported) {
  Story story;
  story.queue(1).start(1).end(1, 500);
  model::Section section = story.retried(1, 84'800);
  section.deliveries[0].attempt.reset();
  story.submit(section);
  EXPECT_NE(story.broken().find("moved-without-attempt"), std::string::npos);
}

}  // namespace
}  // namespace checks
