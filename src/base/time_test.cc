#include "base/time.h"

#include <gtest/gtest.h>

namespace base {
namespace {

constexpr Instant kNoon = Instant::from_ms(1'790'000'000'000);

TEST(DurationTest, UnitsAgree) {
  EXPECT_EQ(Duration::seconds(1), Duration::ms(1000));
  EXPECT_EQ(Duration::minutes(1), Duration::seconds(60));
  EXPECT_EQ(Duration::hours(1), Duration::minutes(60));
}

TEST(DurationTest, AddsSubtractsAndScales) {
  EXPECT_EQ(Duration::seconds(2) + Duration::ms(5), Duration::ms(2005));
  EXPECT_EQ(Duration::seconds(2) - Duration::seconds(3), Duration::ms(-1000));
  EXPECT_EQ(Duration::ms(84'800) * 2047, Duration::ms(173'585'600));
}

TEST(DurationTest, DefaultIsZero) { EXPECT_EQ(Duration(), Duration::ms(0)); }

TEST(InstantTest, DifferenceUndoesAddition) {
  EXPECT_EQ(kNoon + Duration::ms(7) - kNoon, Duration::ms(7));
  EXPECT_EQ(kNoon + Duration::ms(7) - Duration::ms(7), kNoon);
}

TEST(InstantTest, IsOrderedByTime) {
  EXPECT_LT(kNoon, kNoon + Duration::ms(1));
  EXPECT_LT(kNoon + Duration::hours(1'000'000), Instant::never());
}

TEST(InstantTest, TheDefaultHasNotHappened) {
  EXPECT_FALSE(Instant().is_set());
  EXPECT_TRUE(kNoon.is_set());
}

TEST(InstantTest, AnHourEndsJustBeforeTheNext) {
  const Instant full = Instant::from_ms(3'600'000 * 500'000LL);
  EXPECT_EQ(full.hour(), 500'000);
  EXPECT_EQ((full + Duration::hours(1) - Duration::ms(1)).hour(), 500'000);
  EXPECT_EQ((full + Duration::hours(1)).hour(), 500'001);
}

TEST(SchedulingClockTest, BeginsAtTheWallClock) {
  const SchedulingClock clock(kNoon, kNoon - Duration::hours(3), Duration::seconds(100));
  EXPECT_EQ(clock.at(Duration::seconds(100)), kNoon);
}

TEST(SchedulingClockTest, BeginsAtTheLastCommitIfTheWallClockWasSetBack) {
  const Instant committed = kNoon + Duration::hours(3);
  const SchedulingClock clock(kNoon, committed, Duration::seconds(100));
  EXPECT_EQ(clock.at(Duration::seconds(100)), committed);
}

TEST(SchedulingClockTest, FollowsTheMonotonicClockFromThere) {
  const SchedulingClock clock(kNoon, kNoon + Duration::hours(3), Duration::seconds(100));
  EXPECT_EQ(clock.at(Duration::seconds(107)), kNoon + Duration::hours(3) + Duration::seconds(7));
}

TEST(SchedulingClockTest, AWallClockSetForwardIsBelieved) {
  const Instant later = kNoon + Duration::hours(24 * 365);
  const SchedulingClock clock(later, kNoon, Duration());
  EXPECT_EQ(clock.at(Duration::ms(1)), later + Duration::ms(1));
}

}  // namespace
}  // namespace base
