// The low-water mark, the pace of a rate limit, and the ramp after a release.

#include <gtest/gtest.h>

#include <map>

#include "base/prng.h"
#include "core/low_water.h"
#include "core/pacer.h"
#include "core/ramp.h"

namespace core {
namespace {

using base::Duration;
using base::Instant;
using model::RateLimit;

constexpr Instant kStart = Instant::from_ms(1'790'000'000'000);

TEST(LowWaterTest, StopsAtTheOldestThatIsOpen) {
  LowWater water;
  water.open(5);
  water.open(6);
  water.close(6);
  EXPECT_EQ(water.mark(), 5U);
  water.close(5);
  EXPECT_EQ(water.mark(), 7U);
  EXPECT_FALSE(water.has_open());
}

TEST(LowWaterTest, ASequenceIsOpenUntilAllOfItAreClosed) {
  LowWater water;
  water.open(5);
  water.open(5);
  water.close(5);
  EXPECT_EQ(water.mark(), 5U);
  water.close(5);
  EXPECT_EQ(water.mark(), 6U);
}

TEST(LowWaterTest, ASequenceWithoutMemoryOnlyDeliveriesHoldsNothingUp) {
  LowWater water;
  water.see(9);
  EXPECT_EQ(water.mark(), 10U);
  EXPECT_EQ(water.next(), 10U);
}

TEST(LowWaterTest, AnOlderOneThatComesWithAShardPullsItBack) {
  LowWater water;
  water.open(50);
  water.close(50);
  EXPECT_EQ(water.mark(), 51U);
  water.open(40);
  EXPECT_EQ(water.mark(), 40U);
  water.close(40);
  EXPECT_EQ(water.mark(), 51U);
}

TEST(LowWaterTest, BehavesLikeTheSmallestKeyOfAMap) {
  base::Prng prng(1);
  LowWater water;
  std::map<base::Sequence, uint32_t> open;
  base::Sequence newest = 100;
  for (int i = 0; i < 5000; ++i) {
    if (open.size() < 50 && prng.chance(50)) {
      newest += prng.below(4);
      water.open(newest);
      open[newest] += 1;
    } else if (!open.empty()) {
      auto at = open.begin();
      std::advance(at, static_cast<std::ptrdiff_t>(prng.below(open.size())));
      water.close(at->first);
      if (--at->second == 0) {
        open.erase(at);
      }
    }
    ASSERT_EQ(water.has_open(), !open.empty());
    ASSERT_EQ(water.mark(), open.empty() ? water.next() : open.begin()->first);
  }
}

TEST(LowWaterDeathTest, WhatIsNotOpenIsNotClosed) {
  LowWater water;
  water.open(5);
  EXPECT_DEATH(water.close(6), "CHECK failed");
}

// Starts as early as the pacer allows, and says when.
std::vector<int64_t> starts(Pacer& pacer, const RateLimit& limit, int count) {
  std::vector<int64_t> times;
  for (int i = 0; i < count; ++i) {
    const Instant at = std::max(kStart, pacer.next(limit));
    EXPECT_TRUE(pacer.allows(limit, at));
    pacer.take(limit, at);
    EXPECT_FALSE(pacer.next(limit) > at &&
                 pacer.allows(limit, pacer.next(limit) - Duration::ms(1)));
    times.push_back((at - kStart).count_ms());
  }
  return times;
}

TEST(PacerTest, ANewOneAllowsAStartAtOnce) {
  EXPECT_TRUE(Pacer().allows({.count = 7, .period = Duration::seconds(30)}, kStart));
}

TEST(PacerTest, SpacesSevenPerThirtySecondsExactly) {
  Pacer pacer;
  const auto times = starts(pacer, {.count = 7, .period = Duration::seconds(30)}, 7 * 1000 + 1);
  for (size_t i = 0; i < times.size(); ++i) {
    // The i-th start is at i * 30000 / 7 ms, rounded up: no drift however many there were.
    ASSERT_EQ(times[i], static_cast<int64_t>((i * 30'000 + 6) / 7));
  }
  EXPECT_EQ(times.back(), 30'000'000);
}

TEST(PacerTest, APeriodThatDividesEvenlyKeepsItsPaceForever) {
  Pacer pacer;
  const auto times = starts(pacer, {.count = 4, .period = Duration::seconds(1)}, 4 * 10'000 + 1);
  EXPECT_EQ(times.back(), 10'000'000);
}

TEST(PacerTest, MoreThanOneAMillisecondIsPossible) {
  Pacer pacer;
  const auto times = starts(pacer, {.count = 3000, .period = Duration::seconds(1)}, 6001);
  EXPECT_EQ(times.back(), 2000);
}

TEST(PacerTest, IdleTimeIsNotSavedUp) {
  const RateLimit limit{.count = 1, .period = Duration::seconds(10)};
  Pacer pacer;
  pacer.take(limit, kStart);
  const Instant later = kStart + Duration::hours(1);
  pacer.take(limit, later);
  EXPECT_FALSE(pacer.allows(limit, later + Duration::ms(9'999)));
  EXPECT_TRUE(pacer.allows(limit, later + Duration::seconds(10)));
}

TEST(PacerTest, AChangedLimitKeepsTheWaitAndThenItsOwnPace) {
  Pacer pacer;
  pacer.take({.count = 1, .period = Duration::seconds(60)}, kStart);
  const RateLimit faster{.count = 4, .period = Duration::seconds(1)};
  EXPECT_EQ(pacer.next(faster), kStart + Duration::seconds(60));
  pacer.take(faster, kStart + Duration::seconds(60));
  EXPECT_EQ(pacer.next(faster), kStart + Duration::ms(60'250));
}

TEST(PacerTest, AStartThatWasNoneIsGivenBack) {
  const RateLimit limit{.count = 7, .period = Duration::seconds(30)};
  Pacer pacer;
  starts(pacer, limit, 3);
  const Instant next = pacer.next(limit);
  pacer.take(limit, next);
  pacer.give_back(limit);
  EXPECT_EQ(pacer.next(limit), next);
}

TEST(PacerTest, AProbeAheadOfItsTimeMakesTheNextWaitLonger) {
  const RateLimit limit{.count = 1, .period = Duration::seconds(10)};
  Pacer pacer;
  pacer.take(limit, kStart);
  pacer.take(limit, kStart + Duration::seconds(1));
  EXPECT_EQ(pacer.next(limit), kStart + Duration::seconds(20));
}

TEST(RampTest, DoublesAfterEachRoundWithoutFailure) {
  Ramp ramp;
  std::vector<uint32_t> limits;
  for (int i = 0; i < 7; ++i) {
    limits.push_back(ramp.limit());
    ramp.succeeded(100);
  }
  EXPECT_EQ(limits, (std::vector<uint32_t>{1, 2, 2, 4, 4, 4, 4}));
  EXPECT_EQ(ramp.limit(), 8U);
}

TEST(RampTest, EndsAtItsMaximum) {
  Ramp ramp;
  for (int i = 0; i < 100; ++i) {
    ramp.succeeded(5);
  }
  EXPECT_EQ(ramp.limit(), 5U);
}

TEST(RampTest, IsHalvedByAFailureButNeverBelowOne) {
  Ramp ramp;
  for (int i = 0; i < 3; ++i) {
    ramp.succeeded(100);
  }
  EXPECT_EQ(ramp.limit(), 4U);
  ramp.failed();
  EXPECT_EQ(ramp.limit(), 2U);
  ramp.failed();
  ramp.failed();
  EXPECT_EQ(ramp.limit(), 1U);
}

TEST(RampTest, AFailureBeginsTheRoundAnew) {
  Ramp ramp;
  ramp.succeeded(100);
  ramp.succeeded(100);  // one of the two that the round needs
  ramp.failed();
  EXPECT_EQ(ramp.limit(), 1U);
  ramp.succeeded(100);
  EXPECT_EQ(ramp.limit(), 2U);
}

TEST(RampTest, RestartBeginsAtOne) {
  Ramp ramp;
  ramp.succeeded(100);
  ramp.restart();
  EXPECT_EQ(ramp.limit(), 1U);
}

}  // namespace
}  // namespace core
