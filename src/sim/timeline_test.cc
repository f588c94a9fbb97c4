#include "sim/timeline.h"

#include <gtest/gtest.h>

#include <string>

namespace sim {
namespace {

using base::Duration;
using base::Instant;

constexpr Instant kWall = Instant::from_ms(1'790'000'000'000);
constexpr Duration kEnd = Duration::hours(1);

class TimelineTest : public ::testing::Test {
 protected:
  Timeline::Task say(char letter) {
    return [this, letter] { said_ += letter; };
  }
  void run() {
    while (timeline_.run_next(kEnd)) {
    }
  }

  Timeline timeline_;
  std::string said_;
};

TEST_F(TimelineTest, RunsTasksInTheOrderOfTime) {
  timeline_.call_after(Duration::ms(2), say('b'));
  timeline_.call_after(Duration::ms(1), say('a'));
  run();
  EXPECT_EQ(said_, "ab");
}

TEST_F(TimelineTest, TiesRunInTheOrderOfScheduling) {
  for (const char letter : {'a', 'b', 'c', 'd', 'e'}) {
    timeline_.call_after(Duration::ms(1), say(letter));
  }
  run();
  EXPECT_EQ(said_, "abcde");
}

TEST_F(TimelineTest, JumpsToTheTimeOfTheTask) {
  timeline_.call_after(Duration::minutes(7), say('a'));
  EXPECT_TRUE(timeline_.run_next(kEnd));
  EXPECT_EQ(timeline_.elapsed(), Duration::minutes(7));
}

TEST_F(TimelineTest, LaterTasksStayAndTheTimeIsTheLimit) {
  timeline_.call_after(kEnd + Duration::ms(1), say('a'));
  EXPECT_FALSE(timeline_.run_next(kEnd));
  EXPECT_EQ(timeline_.elapsed(), kEnd);
  EXPECT_EQ(said_, "");
}

TEST_F(TimelineTest, ATaskForThePastRunsNow) {
  timeline_.run_next(Duration::ms(10));
  timeline_.call_at(Duration::ms(3), Timeline::kWorld, say('a'));
  run();
  EXPECT_EQ(said_, "a");
  EXPECT_EQ(timeline_.elapsed(), kEnd);
}

TEST_F(TimelineTest, ACancelledTaskDoesNotRun) {
  const uint64_t first = timeline_.call_after(Duration::ms(1), say('a'));
  timeline_.call_after(Duration::ms(1), say('b'));
  timeline_.cancel(first);
  run();
  EXPECT_EQ(said_, "b");
}

TEST_F(TimelineTest, ATaskMayScheduleAnother) {
  timeline_.call_after(Duration::ms(1), [this] {
    said_ += 'a';
    timeline_.call_after(Duration(), say('b'));
  });
  timeline_.call_after(Duration::ms(1), say('x'));
  run();
  EXPECT_EQ(said_, "axb");
}

TEST_F(TimelineTest, TasksOfAProcessVanishWithItsScheduler) {
  {
    SimScheduler process(timeline_, kWall, {});
    process.call_at(kWall + Duration::ms(1), say('a'));
    process.post(say('b'));
    timeline_.call_after(Duration::ms(2), say('w'));
  }
  SimScheduler next(timeline_, kWall, {});
  next.post(say('n'));
  run();
  EXPECT_EQ(said_, "nw");
}

TEST_F(TimelineTest, PostedTasksRunInOrderAndNotInsideTheCall) {
  SimScheduler process(timeline_, kWall, {});
  process.post(say('a'));
  process.post(say('b'));
  EXPECT_EQ(said_, "");
  run();
  EXPECT_EQ(said_, "ab");
}

TEST_F(TimelineTest, ASchedulerCancelsItsTimers) {
  SimScheduler process(timeline_, kWall, {});
  const auto timer = process.call_at(kWall + Duration::ms(1), say('a'));
  process.cancel(timer);
  process.cancel(base::Scheduler::TimerId::kNone);
  run();
  EXPECT_EQ(said_, "");
}

TEST_F(TimelineTest, ASchedulerTellsSchedulingTime) {
  timeline_.run_next(Duration::minutes(5));
  const SimScheduler process(timeline_, kWall, kWall + Duration::hours(2));
  EXPECT_EQ(process.now(), kWall + Duration::hours(2));
  timeline_.run_next(Duration::minutes(6));
  EXPECT_EQ(process.now(), kWall + Duration::hours(2) + Duration::minutes(1));
}

TEST_F(TimelineTest, ATimerRunsAtItsInstantNotBefore) {
  SimScheduler process(timeline_, kWall, {});
  Instant seen;
  process.call_at(kWall + Duration::ms(123), [&] { seen = process.now(); });
  run();
  EXPECT_EQ(seen, kWall + Duration::ms(123));
}

}  // namespace
}  // namespace sim
