// Freezing, enabling, pausing, and how attempts count that straddle such a change.

#include <gtest/gtest.h>

#include "core/circuit.h"

namespace core {
namespace {

using base::Duration;
using base::Instant;
using model::CircuitState;
using model::Counting;
using model::TransitionReason;

constexpr Instant kStart = Instant::from_ms(497'222LL * 3'600'000);
constexpr Duration kTick = Duration::ms(1);
constexpr Duration kSilence = Duration::hours(72);

// A disabled endpoint with this many failures in a row.
model::EndpointRecord disabled_after(uint32_t failures) {
  model::EndpointRecord record;
  record.state = CircuitState::kDisabled;
  record.first_attempt_at = kStart;
  record.disabled_at = kStart;
  record.consecutive_failures = failures;
  return record;
}

std::optional<model::Transition> fail(model::EndpointRecord& record, Instant at,
                                      Counting counting = Counting::kFull) {
  count_failure(record, counting, at);
  return judge(record, {}, at);
}

TEST(FreezeTest, TwoThousandInARowAreNotEnough) {
  auto record = disabled_after(1999);
  EXPECT_FALSE(fail(record, kStart + Duration::hours(100)));
}

TEST(FreezeTest, OneMoreAfterTheSilenceFreezes) {
  auto record = disabled_after(2000);
  const Instant at = kStart + kSilence + kTick;
  const auto transition = fail(record, at);
  ASSERT_TRUE(transition.has_value());
  EXPECT_EQ(record.state, CircuitState::kFrozen);
  EXPECT_EQ(record.frozen_at, at);
  EXPECT_EQ(transition->from, CircuitState::kDisabled);
  EXPECT_EQ(transition->to, CircuitState::kFrozen);
  EXPECT_EQ(transition->reason, TransitionReason::kSilence);
  EXPECT_EQ(transition->consecutive_failures, 2001U);
}

TEST(FreezeTest, ExactlyTheSilenceIsNotEnough) {
  auto record = disabled_after(2000);
  EXPECT_FALSE(fail(record, kStart + kSilence));
}

TEST(FreezeTest, TheSilenceRunsFromTheLastSuccess) {
  auto record = disabled_after(2000);
  record.last_success_at = kStart + Duration::hours(10);
  EXPECT_FALSE(fail(record, kStart + Duration::hours(10) + kSilence));
  EXPECT_TRUE(fail(record, kStart + Duration::hours(10) + kSilence + kTick));
}

TEST(FreezeTest, TheSilenceRunsFromTheLastEnable) {
  auto record = disabled_after(2000);
  record.last_success_at = kStart + Duration::hours(10);
  record.enabled_at = kStart + Duration::hours(20);
  EXPECT_FALSE(fail(record, kStart + Duration::hours(20) + kSilence));
  EXPECT_TRUE(fail(record, kStart + Duration::hours(20) + kSilence + kTick));
}

TEST(FreezeTest, FiftyThousandInARowFreezeWithoutSilence) {
  auto record = disabled_after(49'998);
  record.last_success_at = kStart;
  EXPECT_FALSE(fail(record, kStart + kTick));
  const auto transition = fail(record, kStart + kTick);
  ASSERT_TRUE(transition.has_value());
  EXPECT_EQ(transition->reason, TransitionReason::kConsecutiveLimit);
  EXPECT_EQ(transition->consecutive_failures, 50'000U);
}

TEST(FreezeTest, FreezingComesBeforeDisabling) {
  auto record = disabled_after(2000);
  record.state = CircuitState::kActive;
  record.disabled_at = {};
  const auto transition = fail(record, kStart + kSilence + kTick);
  ASSERT_TRUE(transition.has_value());
  EXPECT_EQ(transition->to, CircuitState::kFrozen);
  EXPECT_FALSE(record.disabled_at.is_set());
}

TEST(FreezeTest, AFrozenEndpointIsNotJudgedAgain) {
  auto record = disabled_after(60'000);
  record.state = CircuitState::kFrozen;
  EXPECT_FALSE(fail(record, kStart + kSilence + kTick));
}

TEST(EnableTest, ClearsEverythingTheRulesCount) {
  auto record = disabled_after(2500);
  record.state = CircuitState::kFrozen;
  record.frozen_at = kStart;
  record.probe_from = kStart;
  record.not_before = kStart + Duration::hours(1);
  count_failure(record, Counting::kFull, kStart);
  const Instant at = kStart + Duration::hours(1);
  const auto transition = enable(record, TransitionReason::kEnabledByHand, at);
  EXPECT_EQ(record.state, CircuitState::kActive);
  EXPECT_FALSE(record.disabled_at.is_set());
  EXPECT_FALSE(record.frozen_at.is_set());
  EXPECT_FALSE(record.not_before.is_set());
  EXPECT_FALSE(record.probe_from.is_set());
  EXPECT_EQ(record.consecutive_failures, 0U);
  EXPECT_EQ(record.since_enable, model::RateCount{});
  EXPECT_EQ(count_window(record.window, 24, at), model::RateCount{});
  EXPECT_EQ(record.enabled_at, at);
  EXPECT_EQ(record.released_at, at);
  EXPECT_EQ(transition.from, CircuitState::kFrozen);
  EXPECT_EQ(transition.to, CircuitState::kActive);
  EXPECT_EQ(transition.consecutive_failures, 2501U);
}

TEST(EnableTest, KeepsLifetimeCountsAndTheLastSuccess) {
  auto record = disabled_after(10);
  record.successes = 7;
  record.failures = 9;
  record.last_success_at = kStart;
  enable(record, TransitionReason::kProbeSucceeded, kStart + kTick);
  EXPECT_EQ(record.attempts(), 16U);
  EXPECT_EQ(record.last_success_at, kStart);
}

TEST(EnableTest, TheCountsBeginAnewSoThatAHundredFailuresAreTooFewAgain) {
  auto record = disabled_after(2500);
  enable(record, TransitionReason::kEnabledByHand, kStart);
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(fail(record, kStart + kTick));
  }
  EXPECT_TRUE(fail(record, kStart + kTick));
}

TEST(EnableDeathTest, AnActiveEndpointIsNotEnabled) {
  model::EndpointRecord record;
  EXPECT_DEATH(enable(record, TransitionReason::kEnabledByHand, kStart), "CHECK failed");
}

TEST(PauseTest, IsAFlagBesideTheState) {
  auto record = disabled_after(2000);
  const auto paused = pause(record, kStart);
  EXPECT_TRUE(record.paused);
  EXPECT_EQ(record.state, CircuitState::kDisabled);
  EXPECT_EQ(paused.reason, TransitionReason::kPausedByHand);
  const auto resumed = resume(record, kStart + kTick);
  EXPECT_FALSE(record.paused);
  EXPECT_EQ(record.state, CircuitState::kDisabled);
  EXPECT_EQ(resumed.reason, TransitionReason::kResumedByHand);
  EXPECT_EQ(record.released_at, kStart + kTick);
}

TEST(PauseTest, EnableDoesNotResume) {
  auto record = disabled_after(2000);
  pause(record, kStart);
  enable(record, TransitionReason::kEnabledByHand, kStart);
  EXPECT_TRUE(record.paused);
  EXPECT_FALSE(record.lets_out());
}

TEST(CountingTest, DependsOnWhatChangedSinceTheStart) {
  const CircuitStamp start{.changes = 3, .enables = 1, .state = CircuitState::kActive};
  EXPECT_EQ(counting_of(start, start), Counting::kFull);
  EXPECT_EQ(counting_of(start, {.changes = 4, .enables = 1, .state = CircuitState::kDisabled}),
            Counting::kLate);
  EXPECT_EQ(counting_of(start, {.changes = 5, .enables = 2, .state = CircuitState::kActive}),
            Counting::kLifetimeOnly);
}

TEST(CountingTest, ALateFailureCountsInTheRowButNotInTheRates) {
  auto record = disabled_after(5);
  count_failure(record, Counting::kLate, kStart);
  EXPECT_EQ(record.failures, 1U);
  EXPECT_EQ(record.consecutive_failures, 6U);
  EXPECT_EQ(record.since_enable.attempts, 0U);
  EXPECT_EQ(count_window(record.window, 24, kStart).attempts, 0U);
}

TEST(CountingTest, ALateSuccessEndsTheRowAndEnablesNothing) {
  auto record = disabled_after(5);
  count_success(record, Counting::kLate, kStart + kTick);
  EXPECT_EQ(record.successes, 1U);
  EXPECT_EQ(record.consecutive_failures, 0U);
  EXPECT_EQ(record.last_success_at, kStart + kTick);
  EXPECT_EQ(record.state, CircuitState::kDisabled);
  EXPECT_EQ(record.since_enable.attempts, 0U);
}

TEST(CountingTest, AnAttemptFromBeforeTheEnableCountsInLifetimeOnly) {
  model::EndpointRecord record;
  record.consecutive_failures = 3;
  count_success(record, Counting::kLifetimeOnly, kStart);
  count_failure(record, Counting::kLifetimeOnly, kStart);
  EXPECT_EQ(record.successes, 1U);
  EXPECT_EQ(record.failures, 1U);
  EXPECT_EQ(record.consecutive_failures, 3U);
  EXPECT_FALSE(record.last_success_at.is_set());
  EXPECT_EQ(record.since_enable, model::RateCount{});
}

}  // namespace
}  // namespace core
