#include <gtest/gtest.h>

#include "tests/sim/checks/story.h"

namespace checks {
namespace {

TEST(ConservationTest, ACleanLifeBreaksNothing) {
  Story story;
  story.queue(1).deliver(1).queue(2).fail(2, 84'800);
  story.tell(Counts{.waiting = 1, .stored_created = 2, .stored_delivered = 1, .is_quiet = true});
  EXPECT_EQ(story.broken(), "");
}

TEST(ConservationTest, ASumThatDoesNotAddUpIsReported) {
  Story story;
  story.queue(1).tell(Counts{.stored_created = 1, .is_quiet = true});
  EXPECT_EQ(story.broken(), "conservation");
}

TEST(ConservationTest, AStoreThatForgotADeliveryIsReported) {
  Story story;
  story.queue(1).queue(2).tell(Counts{.waiting = 1, .stored_created = 1, .is_quiet = true});
  EXPECT_EQ(story.broken(), "conservation");
}

TEST(ConservationTest, CountsOnTheMoveAreNotJudged) {
  Story story;
  story.queue(1).tell(Counts{.stored_created = 1});
  EXPECT_EQ(story.broken(), "");
}

TEST(ConservationTest, AnEndThatACrashTookBackIsNoEnd) {
  Story story;
  story.queue(1).start(1).end(1, 200).write_delivered(1).crash();
  story.at(5).tell(Restarted{}).start(1).end(1, 200).write_delivered(1).commit();
  story.tell(Counts{.stored_created = 1, .stored_delivered = 1, .is_quiet = true});
  EXPECT_EQ(story.broken(), "");
}

TEST(ConservationTest, ASecondEndIsReported) {
  Story story;
  story.queue(1).deliver(1);
  story.submit(story.dropped_untried(1, model::EndState::kCancelled));
  EXPECT_EQ(story.broken(), "after-the-end cancelled-unasked");
}

TEST(ConservationTest, AStartAfterTheEndIsReported) {
  Story story;
  story.queue(1).deliver(1).start(1, {.number = 2});
  EXPECT_NE(story.broken().find("after-the-end"), std::string::npos);
}

TEST(ConservationTest, AnEndOfAnUnknownDeliveryIsReported) {
  Story story;
  story.submit(story.dropped_untried(7));
  EXPECT_EQ(story.broken(), "unknown-delivery");
}

TEST(ConservationTest, ADeliveryThatIsQueuedTwiceIsReported) {
  Story story;
  story.queue(1).queue(1);
  EXPECT_EQ(story.broken(), "queued-twice");
}

TEST(ConservationTest, TimeThatRunsBackwardsIsReported) {
  Story story;
  story.at(1).queue(1).at(0).queue(2);
  EXPECT_EQ(story.broken(), "time-runs-backwards");
}

TEST(ConservationTest, ADeliveryThatNeverEndsIsReported) {
  Story story;
  story.queue(1).at(1).tell(FaultsEnded{}).tell(RunEnded{});
  EXPECT_EQ(story.broken(), "unfinished-at-the-end");
}

TEST(ConservationTest, ViolationsAreCappedAtAHundred) {
  Checks checks{Settings{}};
  for (int i = 0; i < 200; ++i) {
    checks.observe({.at = kOrigin, .event = Counts{.stored_created = 1, .is_quiet = true}});
  }
  EXPECT_EQ(checks.violations().size(), Report::kViolationsMax);
}

}  // namespace
}  // namespace checks
