// The small containers of the core, each against the plain one it stands for.

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>
#include <vector>

#include "base/prng.h"
#include "core/fifo.h"
#include "core/slab.h"
#include "core/timers.h"

namespace core {
namespace {

using base::Instant;
using base::Prng;

TEST(FifoTest, IsADequeWhateverIsDoneToIt) {
  Prng prng(7);
  Fifo<uint64_t> fifo;
  std::deque<uint64_t> plain;
  for (uint64_t i = 0; i < 10'000; ++i) {
    const auto place = static_cast<std::ptrdiff_t>(prng.below(plain.size() + 1));
    switch (prng.below(8)) {
      case 0:
        fifo.insert(fifo.begin() + place, i);
        plain.insert(plain.begin() + place, i);
        break;
      case 1:
        if (!plain.empty() && place < std::ssize(plain)) {
          fifo.erase(fifo.begin() + place);
          plain.erase(plain.begin() + place);
        }
        break;
      case 2:
      case 3:
      case 4:
        if (!plain.empty()) {
          EXPECT_EQ(fifo.front(), plain.front());
          fifo.pop_front();
          plain.pop_front();
        }
        break;
      default:
        fifo.insert(fifo.end(), i);
        plain.push_back(i);
    }
    ASSERT_EQ(std::deque<uint64_t>(fifo.begin(), fifo.end()), plain);
    ASSERT_EQ(fifo.empty(), plain.empty());
  }
  fifo.clear();
  EXPECT_EQ(fifo.size(), 0U);
}

TEST(TimersTest, TheEarliestComesFirstAndTiesByOwner) {
  Timers timers;
  timers.wake_by(7, Instant::from_ms(20));
  timers.wake_by(9, Instant::from_ms(10));
  timers.wake_by(3, Instant::from_ms(10));
  EXPECT_EQ(timers.next(), Instant::from_ms(10));
  EXPECT_EQ(timers.pop_due(Instant::from_ms(20)), 3U);
  EXPECT_EQ(timers.pop_due(Instant::from_ms(20)), 9U);
  EXPECT_EQ(timers.pop_due(Instant::from_ms(20)), 7U);
  EXPECT_EQ(timers.next(), std::nullopt);
}

TEST(TimersTest, NobodyIsWokenBeforeItsTime) {
  Timers timers;
  timers.wake_by(1, Instant::from_ms(20));
  EXPECT_EQ(timers.pop_due(Instant::from_ms(19)), std::nullopt);
  EXPECT_EQ(timers.pop_due(Instant::from_ms(20)), 1U);
}

TEST(TimersTest, AnOwnerHasOneTimerTheEarliestItAskedFor) {
  Timers timers;
  timers.wake_by(1, Instant::from_ms(20));
  timers.wake_by(1, Instant::from_ms(30));
  EXPECT_EQ(timers.next(), Instant::from_ms(20));
  timers.wake_by(1, Instant::from_ms(10));
  EXPECT_EQ(timers.next(), Instant::from_ms(10));
  EXPECT_EQ(timers.size(), 1U);
}

TEST(TimersTest, CancellingAStrangerIsFine) {
  Timers timers;
  timers.cancel(5);
  timers.wake_by(1, Instant::from_ms(20));
  timers.cancel(0);
  EXPECT_EQ(timers.size(), 1U);
}

class TimersModelTest : public ::testing::TestWithParam<uint64_t> {
 protected:
  void act() {
    const auto owner = static_cast<Timers::Owner>(prng_.below(60));
    if (prng_.chance(60)) {
      const Instant when = now_ + base::Duration::ms(prng_.range(0, 50));
      timers_.wake_by(owner, when);
      const auto [known, is_new] = model_.try_emplace(owner, when);
      known->second = std::min(known->second, when);
    } else if (prng_.chance(40)) {
      timers_.cancel(owner);
      model_.erase(owner);
    } else {
      now_ = now_ + base::Duration::ms(prng_.range(0, 10));
      pop_all();
    }
  }

  void pop_all() {
    std::multimap<Instant, Timers::Owner> by_time;
    for (const auto& [owner, when] : model_) {
      by_time.emplace(when, owner);
    }
    for (const auto& [when, owner] : by_time) {
      ASSERT_EQ(timers_.pop_due(now_), when <= now_ ? std::optional(owner) : std::nullopt);
      if (when > now_) {
        return;
      }
      model_.erase(owner);
    }
  }

  Prng prng_{GetParam()};
  Instant now_ = Instant::from_ms(1000);
  Timers timers_;
  std::map<Timers::Owner, Instant> model_;
};

INSTANTIATE_TEST_SUITE_P(Seeds, TimersModelTest, ::testing::Range<uint64_t>(1, 11));

TEST_P(TimersModelTest, BehavesLikeASortedList) {
  for (int i = 0; i < 3000; ++i) {
    act();
    ASSERT_EQ(timers_.size(), model_.size());
  }
}

TEST(SlabTest, ObjectsStayWhereTheyAre) {
  Slab<int> slab;
  const uint32_t first = slab.allocate();
  slab[first] = 42;
  const int* const address = &slab[first];
  for (int i = 0; i < 1000; ++i) {
    slab[slab.allocate()] = i;
  }
  EXPECT_EQ(&slab[first], address);
  EXPECT_EQ(slab[first], 42);
}

TEST(SlabTest, AReleasedPlaceIsUsedAgain) {
  Slab<int> slab;
  const uint32_t first = slab.allocate();
  slab.allocate();
  slab.release(first);
  EXPECT_EQ(slab.allocate(), first);
  EXPECT_EQ(slab.size(), 2U);
  EXPECT_EQ(slab.live(), 2U);
}

TEST(SlabTest, LivePlacesAreDistinct) {
  Slab<int> slab;
  Prng prng(1);
  std::set<uint32_t> live;
  for (int i = 0; i < 2000; ++i) {
    if (live.empty() || prng.chance(60)) {
      EXPECT_TRUE(live.insert(slab.allocate()).second);
    } else {
      slab.release(*live.begin());
      live.erase(live.begin());
    }
    EXPECT_EQ(slab.live(), live.size());
  }
}

TEST(SlabDeathTest, APlaceThatNeverWasIsNotReleased) {
  Slab<int> slab;
  slab.allocate();
  EXPECT_DEATH(slab.release(1), "1 vs 1");
}

}  // namespace
}  // namespace core
