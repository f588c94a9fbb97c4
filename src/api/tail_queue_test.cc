#include "api/tail_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace api {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr size_t kBytesMax = 1000;

// What the queue says of itself, with `unsent` bytes still on their way.
void offer(TailQueue& queue, size_t unsent) {
  if (queue.has_room(unsent)) {
    queue.add("attempt_ended", "{}");
  } else {
    queue.leave_out();
  }
}

TEST(TailQueue, MessagesAreServerSentEventsWithNumbers) {
  TailQueue queue("r1", kBytesMax);
  queue.add("attempt_ended", R"({"n":1})");
  queue.add("circuit_changed", R"({"n":2})");
  EXPECT_EQ(queue.take(),
            "id: r1-1\nevent: attempt_ended\ndata: {\"n\":1}\n\n"
            "id: r1-2\nevent: circuit_changed\ndata: {\"n\":2}\n\n");
  EXPECT_TRUE(queue.is_empty());
}

TEST(TailQueue, AGreetingSaysWhenToComeAgain) {
  TailQueue queue("r1", kBytesMax);
  queue.greet(false);
  EXPECT_EQ(queue.take(), "retry: 2000\n\n");
}

TEST(TailQueue, WhoComesAgainIsToldThatHeMissedSomething) {
  TailQueue queue("r1", kBytesMax);
  queue.greet(true);
  queue.add("attempt_ended", "{}");
  const std::string text = queue.take();
  EXPECT_THAT(
      text,
      HasSubstr("id: r1-0\nevent: gap\ndata: {\"reason\":\"reconnected\",\"left_out\":null}\n"));
  EXPECT_THAT(text, HasSubstr("id: r1-1\nevent: attempt_ended\n"));
}

TEST(TailQueue, WhatDoesNotFitIsLeftOutAndToldBeforeTheNext) {
  TailQueue queue("r1", kBytesMax);
  offer(queue, 0);
  queue.take();
  for (int i = 0; i < 3; ++i) {
    offer(queue, kBytesMax);
  }
  EXPECT_TRUE(queue.is_empty());
  offer(queue, 0);
  EXPECT_EQ(queue.take(),
            "id: r1-4\nevent: gap\ndata: {\"reason\":\"slow_reader\",\"left_out\":3}\n\n"
            "id: r1-5\nevent: attempt_ended\ndata: {}\n\n");
  offer(queue, 0);
  EXPECT_THAT(queue.take(), Not(HasSubstr("gap")));
}

TEST(TailQueue, WhatWaitsHereCountsAsWell) {
  TailQueue queue("r1", kBytesMax);
  int taken = 0;
  while (queue.has_room(0)) {
    offer(queue, 0);
    taken += 1;
    ASSERT_LT(taken, 1000);
  }
  EXPECT_GT(taken, 1);
  EXPECT_LT(queue.take().size(), kBytesMax + 100);
}

TEST(TailQueue, AReaderMustCatchUpByHalfBeforeHeGetsTheNext) {
  TailQueue queue("r1", kBytesMax);
  offer(queue, kBytesMax);
  EXPECT_FALSE(queue.has_room(kBytesMax - 1));
  EXPECT_FALSE(queue.has_room(kBytesMax / 2));
  EXPECT_TRUE(queue.has_room(kBytesMax / 2 - 1));
  offer(queue, 0);
  queue.take();
  EXPECT_TRUE(queue.has_room(kBytesMax - 1));
}

TEST(TailQueue, AHeartbeatIsACommentThatHasNoNumber) {
  TailQueue queue("r1", kBytesMax);
  queue.beat(0);
  EXPECT_EQ(queue.take(), ":\n\n");
  queue.add("attempt_ended", "{}");
  EXPECT_THAT(queue.take(), HasSubstr("id: r1-1\n"));
}

TEST(TailQueue, AHeartbeatTellsWhatWasLeftOutOnceThereIsRoom) {
  TailQueue queue("r1", kBytesMax);
  offer(queue, kBytesMax);
  queue.beat(kBytesMax);
  EXPECT_TRUE(queue.is_empty());
  queue.beat(0);
  const std::string text = queue.take();
  EXPECT_THAT(text, HasSubstr("\"left_out\":1}"));
  EXPECT_TRUE(text.ends_with("\n\n:\n\n")) << text;
  queue.beat(0);
  EXPECT_EQ(queue.take(), ":\n\n");
}

}  // namespace
}  // namespace api
