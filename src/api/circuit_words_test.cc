#include "api/circuit_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace api {
namespace {

using base::Duration;
using base::Instant;
using model::CircuitState;
using model::Transition;
using model::TransitionReason;
using ::testing::HasSubstr;

constexpr Instant kAt = Instant::from_ms(1'790'000'000'000);

Transition transition(TransitionReason reason) {
  Transition made;
  made.at = kAt;
  made.to = CircuitState::kDisabled;
  made.reason = reason;
  made.attempts = 1'104;
  made.failures = 978;
  made.consecutive_failures = 2'001;
  return made;
}

TEST(CircuitWordsTest, TheNumbersThatTrippedTheCircuitAreTold) {
  EXPECT_EQ(describe(transition(TransitionReason::kFailureRate), {}),
            "978 of 1,104 attempts since the last enable failed, more than 70 percent");
  EXPECT_EQ(describe(transition(TransitionReason::kFailureRateInWindow), {}),
            "978 of 1,104 attempts within 24 hours failed, more than 70 percent");
  EXPECT_EQ(describe(transition(TransitionReason::kConsecutiveFailures), {}),
            "2,001 attempts in a row failed");
}

TEST(CircuitWordsTest, ASilenceIsToldByTheLastSuccessIfThereWasOne) {
  Transition silent = transition(TransitionReason::kSilence);
  EXPECT_EQ(describe(silent, {}),
            "2,001 attempts in a row failed, and there was no success for more than 72h");
  silent.last_success = kAt - Duration::hours(80);
  EXPECT_THAT(describe(silent, {}),
              HasSubstr("the last success was at 2026-09-18T06:13:20.000Z, more than 72h before"));
}

TEST(CircuitWordsTest, AStateIsExplainedWithItsConsequence) {
  model::EndpointRecord endpoint;
  EXPECT_EQ(explain(endpoint, {}, {}),
            "Active, and no rule has ever fired; everything due is sent");
  endpoint.state = CircuitState::kDisabled;
  EXPECT_EQ(explain(endpoint, transition(TransitionReason::kConsecutiveFailures), {}),
            "Disabled since 2026-09-21T14:13:20.000Z, because 2,001 attempts in a row failed; one "
            "delivery is tried every 10m, and a success enables the endpoint again");
  endpoint.paused = true;
  EXPECT_THAT(explain(endpoint, {}, {}),
              HasSubstr("paused by hand: nothing is sent until it is resumed"));
}

TEST(CircuitWordsTest, AnOldReasonIsNotGivenForANewState) {
  model::EndpointRecord endpoint;
  endpoint.state = CircuitState::kFrozen;
  EXPECT_EQ(explain(endpoint, transition(TransitionReason::kConsecutiveFailures), {}),
            "Frozen; nothing is sent until the endpoint is enabled by hand");
}

}  // namespace
}  // namespace api
