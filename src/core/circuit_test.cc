// When a circuit closes: each threshold at its limit and one beyond, with the numbers it reports.

#include "core/circuit.h"

#include <gtest/gtest.h>

namespace core {
namespace {

using base::Duration;
using base::Instant;
using model::CircuitState;
using model::Counting;
using model::TransitionReason;

// A full hour, so that the buckets of the window are easy to count.
constexpr Instant kStart = Instant::from_ms(497'222LL * 3'600'000);
constexpr Duration kTick = Duration::ms(1);

class CircuitTest : public ::testing::Test {
 protected:
  CircuitTest() { record_.first_attempt_at = kStart; }

  void succeed(int times = 1) {
    for (int i = 0; i < times; ++i) {
      count_success(record_, Counting::kFull, now_);
    }
  }

  // Counts failures and has each judged; returns what the last one brought.
  std::optional<model::Transition> fail(int times = 1) {
    std::optional<model::Transition> transition;
    for (int i = 0; i < times; ++i) {
      count_failure(record_, Counting::kFull, now_);
      transition = judge(record_, options_, now_);
    }
    return transition;
  }

  CircuitState state() const { return record_.state; }

  CircuitOptions options_;
  model::EndpointRecord record_;
  Instant now_ = kStart;
};

TEST_F(CircuitTest, AHundredFailuresOfAHundredAttemptsAreTooFew) {
  EXPECT_FALSE(fail(100));
  EXPECT_EQ(state(), CircuitState::kActive);
}

TEST_F(CircuitTest, TheHundredAndFirstAttemptDisables) {
  fail(100);
  const auto transition = fail();
  ASSERT_TRUE(transition.has_value());
  EXPECT_EQ(state(), CircuitState::kDisabled);
  EXPECT_EQ(transition->reason, TransitionReason::kFailureRate);
}

TEST_F(CircuitTest, ExactlySeventyPercentNeverDisables) {
  succeed(60);
  EXPECT_FALSE(fail(140));  // 140 of 200
  EXPECT_EQ(state(), CircuitState::kActive);
}

TEST_F(CircuitTest, OneFailureAboveSeventyPercentDisables) {
  succeed(60);
  fail(140);
  EXPECT_TRUE(fail());  // 141 of 201
  EXPECT_EQ(state(), CircuitState::kDisabled);
}

TEST_F(CircuitTest, ASuccessThatMakesTheCountLargeEnoughDisablesNothing) {
  succeed(29);
  EXPECT_FALSE(fail(71));  // 71 of 100: too few attempts
  succeed();               // 71 of 101 would do, but a success is not judged
  EXPECT_EQ(state(), CircuitState::kActive);
  EXPECT_TRUE(fail());  // 72 of 102
}

TEST_F(CircuitTest, DisablingCarriesTheNumbersThatTrippedIt) {
  now_ = kStart + Duration::minutes(3);
  succeed(29);
  now_ = kStart + Duration::minutes(4);
  const auto transition = fail(72);
  ASSERT_TRUE(transition.has_value());
  EXPECT_EQ(transition->from, CircuitState::kActive);
  EXPECT_EQ(transition->to, CircuitState::kDisabled);
  EXPECT_EQ(transition->at, now_);
  EXPECT_EQ(transition->attempts, 101U);
  EXPECT_EQ(transition->failures, 72U);
  EXPECT_EQ(transition->consecutive_failures, 72U);
  EXPECT_EQ(transition->last_success, kStart + Duration::minutes(3));
}

TEST_F(CircuitTest, TheFirstProbeIsTenMinutesAfterTheDisablingOutcome) {
  fail(101);
  EXPECT_EQ(record_.disabled_at, now_);
  EXPECT_EQ(record_.probe_from, now_ + Duration::minutes(10));
}

TEST_F(CircuitTest, TheWindowDisablesAlthoughTheRateSinceEnableIsLow) {
  succeed(1000);
  now_ = kStart + Duration::hours(24);
  const auto transition = fail(101);
  ASSERT_TRUE(transition.has_value());
  EXPECT_EQ(transition->reason, TransitionReason::kFailureRateInWindow);
  EXPECT_EQ(transition->attempts, 101U);
  EXPECT_EQ(transition->failures, 101U);
}

TEST_F(CircuitTest, TheRateSinceEnableDisablesAlthoughTheWindowIsNearlyEmpty) {
  fail(100);
  now_ = kStart + Duration::hours(30);
  const auto transition = fail();
  ASSERT_TRUE(transition.has_value());
  EXPECT_EQ(transition->reason, TransitionReason::kFailureRate);
  EXPECT_EQ(transition->attempts, 101U);
}

TEST_F(CircuitTest, AnHourLeavesTheWindowTwentyFourHoursLater) {
  succeed(1000);
  now_ = kStart + Duration::hours(24) - kTick;
  EXPECT_FALSE(fail(101));  // the thousand successes still count
  now_ = kStart + Duration::hours(24);
  EXPECT_TRUE(fail());
}

TEST_F(CircuitTest, TheWindowCountsTheHoursThatItIsAskedFor) {
  for (int hour = 0; hour < 24; ++hour) {
    now_ = kStart + Duration::hours(hour);
    succeed();
  }
  EXPECT_EQ(count_window(record_.window, 24, now_).attempts, 24U);
  EXPECT_EQ(count_window(record_.window, 6, now_).attempts, 6U);
  EXPECT_EQ(count_window(record_.window, 1, now_).attempts, 1U);
  EXPECT_EQ(count_window(record_.window, 24, now_ + Duration::hours(1)).attempts, 23U);
  EXPECT_EQ(count_window(record_.window, 24, now_ + Duration::hours(24)).attempts, 0U);
}

TEST_F(CircuitTest, AnHourWithoutAttemptsDoesNotShowThoseOfTheDayBefore) {
  succeed(7);
  now_ = kStart + Duration::hours(2);
  succeed(1);
  now_ = kStart + Duration::hours(26);
  succeed(1);
  EXPECT_EQ(count_window(record_.window, 24, now_).attempts, 1U);
}

TEST_F(CircuitTest, AWindowOfZeroHoursIsOff) {
  options_.window_hours = 0;
  succeed(1000);
  now_ = kStart + Duration::hours(24);
  EXPECT_FALSE(fail(500));
  EXPECT_EQ(count_window(record_.window, 0, now_).attempts, 0U);
}

TEST_F(CircuitTest, APercentageOfHundredSwitchesBothRatesOff) {
  options_.rate_percent = 100;
  EXPECT_FALSE(fail(1999));
}

TEST_F(CircuitTest, TwoThousandInARowDisable) {
  succeed(10'000);
  EXPECT_FALSE(fail(1999));
  const auto transition = fail();
  ASSERT_TRUE(transition.has_value());
  EXPECT_EQ(transition->reason, TransitionReason::kConsecutiveFailures);
  EXPECT_EQ(transition->consecutive_failures, 2000U);
}

TEST_F(CircuitTest, ASuccessBreaksTheRow) {
  succeed(10'000);
  fail(1999);
  succeed();
  EXPECT_FALSE(fail(1999));
}

TEST_F(CircuitTest, ZeroSwitchesTheRowRuleOff) {
  options_.rate_percent = 100;
  options_.consecutive_to_disable = 0;
  EXPECT_FALSE(fail(3000));
}

TEST_F(CircuitTest, TimeAloneChangesNothing) {
  fail(100);
  now_ = kStart + Duration::hours(10'000);
  EXPECT_EQ(state(), CircuitState::kActive);
  EXPECT_EQ(record_.consecutive_failures, 100U);
}

}  // namespace
}  // namespace core
