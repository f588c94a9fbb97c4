#include <gtest/gtest.h>

#include "tests/sim/checks/story.h"

namespace checks {
namespace {

TEST(AttemptsTest, ASecondAttemptBeforeTheFirstIsDurableIsReported) {
  Story story;
  story.queue(1).start(1).end(1, 500).write_retry(1, 84'800).at(84'800).start_retry(1);
  EXPECT_EQ(story.broken(), "one-in-flight");
}

TEST(AttemptsTest, ASecondAttemptAfterTheFirstIsDurableIsFine) {
  Story story;
  story.queue(1).fail(1, 84'800).at(84'800).start_retry(1);
  EXPECT_EQ(story.broken(), "");
}

TEST(AttemptsTest, ASkippedNumberIsReported) {
  Story story;
  story.queue(1).start(1, {.number = 2});
  EXPECT_EQ(story.broken(), "attempt-number");
}

TEST(AttemptsTest, AfterACrashTheLostNumberComesAgain) {
  Story story;
  story.queue(1).start(1).at(1).crash().at(2).tell(Restarted{}).start(1);
  EXPECT_EQ(story.broken(), "");
}

TEST(AttemptsTest, AfterATakeoverTheLostNumberComesAgain) {
  Story story;
  story.queue(1).start(1).at(1).tell(ShardLost{.shard = 1});
  story.at(2).tell(ShardRegained{.shard = 1}).start(1);
  EXPECT_EQ(story.broken(), "");
}

TEST(AttemptsTest, WhatCouldNotStartIsTriedAgainAfterASecond) {
  Story story;
  const model::Outcome refused{.kind = model::OutcomeKind::kNotStarted};
  story.queue(1).start(1).end(1, refused).at(1'000).start(1);
  EXPECT_EQ(story.broken(), "");
  story.end(1, refused).at(1'999).start(1);
  EXPECT_EQ(story.broken(), "own-failure-delay");
}

TEST(AttemptsTest, AnOutcomeThatWasNotReportedIsNotWritten) {
  Story story;
  story.queue(1).start(1);
  story.write_delivered(1);
  EXPECT_NE(story.broken().find("written-attempt"), std::string::npos);
}

TEST(AttemptsTest, AnOutcomeIsWrittenAsItWas) {
  Story story;
  story.queue(1).start(1).end(1, 500);
  model::Section section = story.retried(1, 84'800);
  section.deliveries[0].attempt->finished_at = after(-1);
  story.submit(section);
  EXPECT_EQ(story.broken(), "written-attempt");
}

TEST(AttemptsTest, AnAttemptOfAnUnknownDeliveryIsReported) {
  Story story;
  story.tell(AttemptStarted{.delivery = {.id = {7}, .endpoint = Story::endpoint(1)}});
  EXPECT_EQ(story.broken(), "unknown-delivery");
}

TEST(AttemptsTest, ASecondOutcomeOfOneAttemptIsReported) {
  Story story;
  story.queue(1).start(1).end(1, 500).end(1, 500);
  EXPECT_EQ(story.broken(), "outcome-without-attempt");
}

TEST(AttemptsTest, ATakeoverTakesBackOnlyWhatIsOfItsShard) {
  Story story;
  story.queue(1).start(1).tell(ShardLost{.shard = 2}).start(1);
  EXPECT_EQ(story.broken(), "one-in-flight");
}

TEST(AttemptsTest, ACommitOutOfOrderIsReported) {
  Story story;
  story.tell(Committed{.shard = 1, .epoch = 1, .number = 3});
  EXPECT_EQ(story.broken(), "commit-order");
}

TEST(DuplicatesTest, ASecondSightAfterALostReplyIsFine) {
  Story story;
  story.queue(1).start(1).tell(ReceiverApplied{.delivery = {1}});
  story.end(1, {.kind = model::OutcomeKind::kReset}).write_retry(1, 84'800).commit();
  story.at(84'800).start_retry(1).tell(ReceiverApplied{.delivery = {1}});
  EXPECT_EQ(story.broken(), "");
}

TEST(DuplicatesTest, ASecondSightAfterACrashIsFine) {
  Story story;
  story.queue(1).start(1).tell(ReceiverApplied{.delivery = {1}}).end(1, 200).crash();
  story.tell(Restarted{}).start(1).tell(ReceiverApplied{.delivery = {1}});
  EXPECT_EQ(story.broken(), "");
}

TEST(DuplicatesTest, ASecondSightWithoutExcuseIsReported) {
  Story story;
  story.queue(1).start(1).tell(ReceiverApplied{.delivery = {1}});
  story.tell(ReceiverApplied{.delivery = {1}});
  EXPECT_EQ(story.broken(), "duplicate");
}

}  // namespace
}  // namespace checks
