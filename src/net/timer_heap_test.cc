#include "net/timer_heap.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/prng.h"

namespace net {
namespace {

using base::Instant;
using TimerId = TimerHeap::TimerId;

class TimerHeapTest : public testing::Test {
 protected:
  TimerId add(int64_t when, int name) {
    return timers_.add(Instant::from_ms(when), [this, name] { rung_.push_back(name); });
  }

  std::vector<int> ring(int64_t now) {
    rung_.clear();
    while (auto task = timers_.take_due(Instant::from_ms(now))) {
      (*task)();
    }
    return rung_;
  }

  TimerHeap timers_;
  std::vector<int> rung_;
};

TEST_F(TimerHeapTest, RingsInOrderOfTimeAndThenOfSetting) {
  add(30, 1);
  add(10, 2);
  add(20, 3);
  add(10, 4);
  EXPECT_EQ(ring(9), std::vector<int>());
  EXPECT_EQ(ring(20), (std::vector<int>{2, 4, 3}));
  EXPECT_EQ(ring(100), std::vector<int>{1});
  EXPECT_EQ(timers_.earliest(), std::nullopt);
}

TEST_F(TimerHeapTest, ACancelledTimerDoesNotRing) {
  const TimerId first = add(10, 1);
  add(10, 2);
  EXPECT_TRUE(timers_.remove(first));
  EXPECT_FALSE(timers_.remove(first));
  EXPECT_EQ(ring(10), std::vector<int>{2});
}

TEST_F(TimerHeapTest, AnOldIdDoesNotTouchTheNextUserOfItsPlace) {
  const TimerId old = add(10, 1);
  ring(10);
  add(20, 2);
  EXPECT_FALSE(timers_.remove(old));
  EXPECT_FALSE(timers_.remove(TimerId::kNone));
  EXPECT_EQ(ring(20), std::vector<int>{2});
}

TEST_F(TimerHeapTest, AgreesWithAMapOverRandomWork) {
  base::Prng prng(7);
  std::map<std::pair<int64_t, int>, TimerId> model;
  int64_t now = 0;
  for (int round = 0; round < 20'000; ++round) {
    if (prng.chance(60)) {
      const int64_t when = now + static_cast<int64_t>(prng.below(50));
      model.emplace(std::pair(when, round), add(when, round));
    } else if (prng.chance(50) && !model.empty()) {
      auto victim = std::next(model.begin(), static_cast<int64_t>(prng.below(model.size())));
      EXPECT_TRUE(timers_.remove(victim->second));
      model.erase(victim);
    } else {
      now += static_cast<int64_t>(prng.below(20));
      std::vector<int> expected;
      while (!model.empty() && model.begin()->first.first <= now) {
        expected.push_back(model.begin()->first.second);
        model.erase(model.begin());
      }
      ASSERT_EQ(ring(now), expected);
    }
    ASSERT_EQ(timers_.size(), model.size());
  }
}

}  // namespace
}  // namespace net
