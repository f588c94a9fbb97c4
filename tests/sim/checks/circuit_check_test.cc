#include <gtest/gtest.h>

#include "tests/sim/checks/circuit_model.h"
#include "tests/sim/checks/story.h"

namespace checks {
namespace {

using model::CircuitState;
using model::Counting;
using model::TransitionReason;

// Two failures in a row disable, so that a test needs no hundred attempts.
Settings touchy() {
  return {.rate_percent = 100,
          .consecutive_to_disable = 2,
          .consecutive_to_freeze = 3,
          .silence_to_freeze = base::Duration::hours(1),
          .consecutive_limit = 100};
}

model::Transition with_counts(model::Transition transition, uint32_t attempts, uint32_t failures,
                              uint32_t consecutive) {
  transition.attempts = attempts;
  transition.failures = failures;
  transition.consecutive_failures = consecutive;
  return transition;
}

// Deliveries 1 and 2 fail, the second disables endpoint 1; delivery 3 is held.
void disable(Story& story) {
  story.queue(1).queue(2).queue(3).fail(1, 84'800).start(2).end(2, 500);
  model::Section section = story.retried(2, 84'800);
  section.transitions.push_back(
      with_counts(story.transition(CircuitState::kActive, CircuitState::kDisabled,
                                   TransitionReason::kConsecutiveFailures),
                  2, 2, 2));
  story.submit(section).commit();
}

TEST(CircuitTest, AnExpectedDisableIsFine) {
  Story story(touchy());
  disable(story);
  EXPECT_EQ(story.broken(), "");
}

TEST(CircuitTest, AMissingDisableIsReported) {
  Story story(touchy());
  story.queue(1).queue(2).fail(1, 84'800).fail(2, 84'800);
  EXPECT_EQ(story.broken(), "circuit-transition-missing");
}

TEST(CircuitTest, AnUnexpectedDisableIsReported) {
  Story story(touchy());
  story.queue(1).start(1).end(1, 500);
  model::Section section = story.retried(1, 84'800);
  section.transitions.push_back(story.transition(CircuitState::kActive, CircuitState::kDisabled,
                                                 TransitionReason::kConsecutiveFailures));
  story.submit(section);
  EXPECT_EQ(story.broken(), "circuit-transition-unexpected");
}

TEST(CircuitTest, WrongNumbersAreReported) {
  Story story(touchy());
  story.queue(1).queue(2).fail(1, 84'800).start(2).end(2, 500);
  model::Section section = story.retried(2, 84'800);
  section.transitions.push_back(
      with_counts(story.transition(CircuitState::kActive, CircuitState::kDisabled,
                                   TransitionReason::kConsecutiveFailures),
                  1, 1, 1));
  story.submit(section);
  EXPECT_EQ(story.broken(), "circuit-transition-differs");
}

TEST(CircuitTest, ASuccessfulProbeEnables) {
  Story story(touchy());
  disable(story);
  story.at(600'000).start_probe(3).end(3, 200);
  model::Section section = story.ended(3, model::EndState::kDelivered);
  section.transitions.push_back(
      with_counts(story.transition(CircuitState::kDisabled, CircuitState::kActive,
                                   TransitionReason::kProbeSucceeded),
                  3, 2, 0));
  section.endpoints.push_back({.id = Story::endpoint(1),
                               .successes = 1,
                               .failures = 2,
                               .last_success_at = story.now(),
                               .enabled_at = story.now(),
                               .released_at = story.now(),
                               .unfinished = 2,
                               .last_queued = {3}});
  story.submit(section).commit();
  EXPECT_EQ(story.broken(), "");
}

model::EndpointRecord record_after_one_failure(const Story& story) {
  model::HourlyWindow window{.newest_hour = story.now().hour()};
  window.buckets[static_cast<size_t>(window.newest_hour) % model::HourlyWindow::kHours] = {
      .attempts = 1, .failures = 1};
  return {.id = Story::endpoint(1),
          .last_attempt_failed = true,
          .consecutive_failures = 1,
          .since_enable = {.attempts = 1, .failures = 1},
          .window = window,
          .failures = 1,
          .unfinished = 1,
          .last_queued = {1}};
}

TEST(CircuitTest, AStoredRecordThatAgreesIsFine) {
  Story story(touchy());
  story.queue(1).start(1).end(1, 500);
  model::Section section = story.retried(1, 84'800);
  section.endpoints.push_back(record_after_one_failure(story));
  story.submit(section);
  EXPECT_EQ(story.broken(), "");
}

TEST(CircuitTest, AStoredWindowThatDiffersIsReported) {
  Story story(touchy());
  story.queue(1).start(1).end(1, 500);
  model::Section section = story.retried(1, 84'800);
  section.endpoints.push_back(record_after_one_failure(story));
  section.endpoints[0].window = {};
  story.submit(section);
  EXPECT_EQ(story.broken(), "circuit-record");
}

TEST(CircuitTest, AStoredRecordThatDiffersIsReported) {
  Story story(touchy());
  story.queue(1).start(1).end(1, 500);
  model::Section section = story.retried(1, 84'800);
  section.endpoints.push_back(record_after_one_failure(story));
  section.endpoints[0].failures = 2;
  story.submit(section);
  EXPECT_EQ(story.broken(), "circuit-record");
}

TEST(CircuitTest, ATransitionThatACrashTookBackComesAgain) {
  Story story(touchy());
  story.queue(1).queue(2).fail(1, 84'800);
  for (int round = 0; round < 2; ++round) {
    story.start(2).end(2, 500);
    model::Section section = story.ended(2, model::EndState::kDropped);
    section.deliveries[0].end.reset();
    section.deliveries[0].placed = model::Delivery{.id = {2},
                                                   .endpoint = Story::endpoint(1),
                                                   .subscription = {1},
                                                   .queued_at = kOrigin,
                                                   .due = after(84'800),
                                                   .last_slot = kOrigin + kLastSlot,
                                                   .attempts = 1,
                                                   .range = model::DueRange::kRetry};
    section.transitions.push_back(
        with_counts(story.transition(CircuitState::kActive, CircuitState::kDisabled,
                                     TransitionReason::kConsecutiveFailures),
                    2, 2, 2));
    story.submit(section);
    if (round == 0) {
      story.crash().tell(Restarted{});
    }
  }
  EXPECT_EQ(story.broken(), "");
}

TEST(CircuitTest, AnAttemptFromBeforeTheDisableDoesNotEnable) {
  Story story(touchy());
  story.queue(9).start(9);
  disable(story);
  story.end(9, 200).counting(Counting::kLate).write_delivered(9).commit();
  EXPECT_EQ(story.broken(), "");
}

TEST(CircuitTest, ALateAttemptThatCountsFullyIsReported) {
  Story story(touchy());
  story.queue(9).start(9);
  disable(story);
  story.end(9, 200).write_delivered(9).commit();
  EXPECT_EQ(story.broken(), "circuit-counting");
}

TEST(CircuitTest, AnAttemptFromBeforeAnEnableCountsInTheLifetimeOnly) {
  Story story(touchy());
  story.queue(9).start(9);
  disable(story);
  story.by_hand(CommandKind::kEnable,
                with_counts(story.transition(CircuitState::kDisabled, CircuitState::kActive,
                                             TransitionReason::kEnabledByHand),
                            2, 2, 2));
  story.end(9, 500).counting(Counting::kLifetimeOnly).write_retry(9, 84'800).commit();
  EXPECT_EQ(story.broken(), "");
}

TEST(CircuitTest, AWrongOrdinalIsReported) {
  Story story;
  story.queue(1).start(1).end(1, 200);
  model::Section section = story.ended(1, model::EndState::kDelivered);
  section.deliveries[0].attempt->ordinal = 2;
  story.submit(section);
  EXPECT_EQ(story.broken(), "circuit-ordinal");
}

TEST(CircuitTest, ATransitionByHandThatNobodyAskedForIsReported) {
  Story story;
  story.submit(story.changed(story.transition(CircuitState::kActive, CircuitState::kActive,
                                              TransitionReason::kPausedByHand)));
  EXPECT_EQ(story.broken(), "circuit-unasked");
}

// The model alone: long rows of attempts.
class CircuitModelTest : public testing::Test {
 protected:
  std::optional<model::Transition> attempt(bool is_success, int64_t at_ms,
                                           Counting how = Counting::kFull) {
    const model::Attempt attempt{.started_at = after(at_ms),
                                 .finished_at = after(at_ms),
                                 .outcome = status(is_success ? 200 : 500)};
    return model_.count(attempt, how, settings_, CircuitModel::FirstAttempt::kFirstCounted);
  }

  Settings settings_;
  CircuitModel model_;
};

TEST_F(CircuitModelTest, TheHundredAndFirstFailureDisables) {
  for (int i = 0; i < 100; ++i) {
    ASSERT_FALSE(attempt(false, i).has_value());
  }
  const auto made = attempt(false, 100);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->reason, TransitionReason::kFailureRate);
  EXPECT_EQ(made->attempts, 101U);
}

TEST_F(CircuitModelTest, ExactlySeventyPercentNeverDisables) {
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_FALSE(attempt(i % 10 < 3, i).has_value());
  }
}

TEST_F(CircuitModelTest, TheWindowForgetsAfterTwentyFourHours) {
  constexpr int64_t kHour = 3'600'000;
  for (int i = 0; i < 1'000; ++i) {
    attempt(true, 0);
  }
  for (int i = 0; i < 100; ++i) {
    ASSERT_FALSE(attempt(false, kHour).has_value());
  }
  ASSERT_FALSE(attempt(false, 23 * kHour).has_value());  // the thousand still count
  const auto made = attempt(false, 24 * kHour);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->reason, TransitionReason::kFailureRateInWindow);
  EXPECT_EQ(made->attempts, 102U);
}

TEST_F(CircuitModelTest, SilenceAloneOrFailuresAloneDoNotFreeze) {
  settings_.rate_percent = 100;
  settings_.consecutive_to_disable = 0;
  constexpr int64_t kSilence = 72 * 3'600'000LL;
  for (int i = 0; i < 2'000; ++i) {
    ASSERT_FALSE(attempt(false, i == 0 ? 0 : kSilence + 1).has_value());
  }
  const auto made = attempt(false, kSilence + 1);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->reason, TransitionReason::kSilence);
  EXPECT_EQ(made->consecutive_failures, 2'001U);
}

TEST_F(CircuitModelTest, AnEnableBeginsTheSilenceAnew) {
  settings_.rate_percent = 100;
  settings_.consecutive_to_disable = 1;
  settings_.consecutive_to_freeze = 0;
  constexpr int64_t kSilence = 72 * 3'600'000LL;
  attempt(false, 0);
  model_.enable(after(kSilence));
  const auto made = attempt(false, kSilence + 1);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->to, CircuitState::kDisabled);
}

TEST_F(CircuitModelTest, TheLimitFreezesWhateverTheTime) {
  settings_.consecutive_limit = 5;
  for (int i = 0; i < 4; ++i) {
    attempt(false, i);
  }
  const auto made = attempt(false, 5);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->reason, TransitionReason::kConsecutiveLimit);
  EXPECT_EQ(made->from, CircuitState::kActive);
}

}  // namespace
}  // namespace checks
