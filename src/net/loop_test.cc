#include "net/loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <functional>
#include <thread>
#include <vector>

namespace net {
namespace {

using base::Duration;
using base::Instant;

constexpr Duration kPatience = Duration::seconds(10);

TEST(LoopTest, RunsTimersInOrderAndNotTooEarly) {
  Loop loop;
  std::vector<int> order;
  const Instant start = loop.now();
  Instant last_rung;
  loop.call_at(start + Duration::ms(20), [&] {
    order.push_back(2);
    last_rung = loop.now();
  });
  loop.call_at(start + Duration::ms(5), [&] { order.push_back(1); });
  EXPECT_TRUE(loop.run_until([&] { return order.size() == 2; }, kPatience));
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
  EXPECT_GE(last_rung, start + Duration::ms(20));
}

TEST(LoopTest, ACancelledTimerDoesNotRunAndLaterOnesDo) {
  Loop loop;
  bool cancelled_ran = false;
  bool other_ran = false;
  const auto timer = loop.call_at(loop.now() + Duration::ms(1), [&] { cancelled_ran = true; });
  loop.call_at(loop.now() + Duration::ms(3), [&] { other_ran = true; });
  loop.cancel(timer);
  EXPECT_TRUE(loop.run_until([&] { return other_ran; }, kPatience));
  EXPECT_FALSE(cancelled_ran);
}

TEST(LoopTest, ATimerInThePastRunsAtOnceButNotInsideTheCall) {
  Loop loop;
  bool ran = false;
  loop.call_at(loop.now() - Duration::seconds(1), [&] { ran = true; });
  EXPECT_FALSE(ran);
  EXPECT_TRUE(loop.run_until([&] { return ran; }, kPatience));
}

TEST(LoopTest, TimersThatAreAlwaysDueDoNotKeepTasksFromRunning) {
  Loop loop;
  bool is_over = false;
  std::function<void()> ring_again = [&] {
    if (!is_over) {
      loop.call_at(loop.now(), ring_again);
    }
  };
  ring_again();
  loop.post([&] {
    is_over = true;
    loop.stop();
  });
  loop.run();
  EXPECT_TRUE(is_over);
}

TEST(LoopTest, TasksThatNeverEndDoNotKeepTimersFromRinging) {
  Loop loop;
  bool is_over = false;
  std::function<void()> post_again = [&] {
    if (!is_over) {
      loop.post(post_again);
    }
  };
  post_again();
  loop.call_at(loop.now() + Duration::ms(1), [&] {
    is_over = true;
    loop.stop();
  });
  loop.run();
  EXPECT_TRUE(is_over);
}

TEST(LoopTest, ATimerSetByATaskRingsThoughNothingElseHappens) {
  Loop loop;
  bool has_rung = false;
  loop.call_at(loop.now() + Duration::minutes(5), [] {});
  loop.post([&] {
    loop.call_at(loop.now() + Duration::ms(5), [&] {
      has_rung = true;
      loop.stop();
    });
  });
  loop.run();
  EXPECT_TRUE(has_rung);
}

TEST(LoopTest, WhoWaitsForAConditionIsToldAtOnceThatTheLoopWasStopped) {
  Loop loop;
  const Instant start = loop.now();
  loop.post([&] { loop.stop(); });
  EXPECT_FALSE(loop.run_until([] { return false; }, kPatience));
  EXPECT_LT(loop.now() - start, kPatience);
}

TEST(LoopTest, WhoWaitsForAConditionIsToldAtOnceThatATaskHasMadeItTrue) {
  Loop loop;
  bool is_true = false;
  const Instant start = loop.now();
  loop.post([&] { is_true = true; });
  EXPECT_TRUE(loop.run_until([&] { return is_true; }, kPatience));
  EXPECT_LT(loop.now() - start, kPatience);
}

TEST(LoopTest, AStopThatComesBeforeTheRunEndsIt) {
  Loop loop;
  bool has_run = false;
  loop.stop();
  loop.post([&] { has_run = true; });
  loop.run();
  EXPECT_FALSE(has_run);
  EXPECT_TRUE(loop.run_until([&] { return has_run; }, kPatience));
}

TEST(LoopTest, WhatATaskPostsWaitsForDescriptorsToBeHeard) {
  Loop loop;
  int turns = 0;
  bool is_heard = false;
  boost::asio::post(loop.context(), [&] { is_heard = true; });
  std::function<void()> post_again = [&] {
    if (!is_heard && ++turns < 1000) {
      loop.post(post_again);
    }
  };
  post_again();
  EXPECT_TRUE(loop.run_until([&] { return is_heard; }, kPatience));
  EXPECT_LT(turns, 10);
}

TEST(LoopTest, ASleepingLoopIsWokenByAPostFromAnotherThread) {
  Loop loop;
  for (int round = 0; round < 1000; ++round) {
    bool is_told = false;
    std::thread poster([&] { loop.post([&] { is_told = true; }); });
    EXPECT_TRUE(loop.run_until([&] { return is_told; }, kPatience));
    poster.join();
  }
}

TEST(LoopTest, PostsFromOtherThreadsRunOnItsThreadInOrder) {
  Loop loop;
  std::vector<int> seen;
  std::thread::id where;
  std::thread poster([&] {
    for (int number = 0; number < 100; ++number) {
      loop.post([&, number] {
        seen.push_back(number);
        where = std::this_thread::get_id();
      });
    }
    loop.post([&] { loop.stop(); });
  });
  loop.run();
  poster.join();
  ASSERT_EQ(seen.size(), 100U);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(where, std::this_thread::get_id());
}

TEST(LoopTest, SchedulingTimeDoesNotBeginBeforeWhatIsOnRecord) {
  const Instant future = Instant::from_ms(4'000'000'000'000);
  const Loop ahead(future);
  EXPECT_GE(ahead.now(), future);
  EXPECT_LT(ahead.now(), future + Duration::minutes(10));
  const Loop fresh;
  EXPECT_LT(fresh.wall_clock() - fresh.now(), Duration::seconds(5));
}

}  // namespace
}  // namespace net
