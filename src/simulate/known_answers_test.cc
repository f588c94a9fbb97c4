// Answers that can be worked out on paper from the published rules, against the run that the
// command makes. Each test shows its arithmetic; all times are milliseconds from the first event.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <initializer_list>

#include "simulate/arguments.h"
#include "simulate/run.h"

namespace simulate {
namespace {

using base::Duration;
using model::CircuitState;
using model::TransitionReason;
using testing::ElementsAre;
using testing::IsEmpty;

// The retry slots of the published table.
const std::vector<int64_t> kSlots = {84'800,     254'400,    593'600,    1'272'000,
                                     2'628'800,  5'342'400,  10'769'600, 21'624'000,
                                     43'332'800, 86'750'400, 173'585'600};

Scenario parsed(std::initializer_list<std::string> words) {
  std::vector<std::string> all(words);
  std::vector<char*> arguments;
  arguments.reserve(all.size());
  for (std::string& word : all) {
    arguments.push_back(word.data());
  }
  auto request = parse_arguments(arguments);
  EXPECT_TRUE(request.has_value()) << (request ? "" : request.error().detail);
  return request ? request->scenario : Scenario();
}

Result simulated(std::initializer_list<std::string> words) {
  Result result = run(parsed(words), {.keep_starts = true, .progress = {}, .receiver = {}});
  EXPECT_TRUE(result.is_conserved);
  return result;
}

// The receiver's answer to the n-th attempt, n from 1: true is a success. It takes 20 ms.
Result scripted(std::initializer_list<std::string> words,
                const std::function<bool(uint64_t)>& succeeds) {
  uint64_t attempt = 0;
  const auto receiver = [&](Duration, const delivery::AttemptRequest&) -> sim::Reply {
    attempt += 1;
    const uint16_t status = succeeds(attempt) ? 200 : 503;
    return {.delay = Duration::ms(20), .outcome = {.status = status}};
  };
  Result result = run(parsed(words), {.keep_starts = true, .progress = {}, .receiver = receiver});
  EXPECT_TRUE(result.is_conserved);
  return result;
}

std::vector<int64_t> start_times(const Result& result) {
  std::vector<int64_t> times;
  times.reserve(result.starts.size());
  for (const Start& start : result.starts) {
    times.push_back(start.at.count_ms());
  }
  return times;
}

std::vector<int64_t> probe_times(const Result& result, size_t count) {
  std::vector<int64_t> times;
  for (const Start& start : result.starts) {
    if (start.is_probe && times.size() < count) {
      times.push_back(start.at.count_ms());
    }
  }
  return times;
}

struct Expected {
  int64_t at;
  CircuitState from;
  CircuitState to;
  TransitionReason reason;
};

void expect_change(const Change& change, const Expected& expected) {
  EXPECT_EQ(change.at.count_ms(), expected.at);
  EXPECT_EQ(change.transition.from, expected.from);
  EXPECT_EQ(change.transition.to, expected.to);
  EXPECT_EQ(change.transition.reason, expected.reason);
}

// By 92 000 ms the events 0 to 92 have had their first attempt (93), and those that were queued at
// 0 to 7 s their first retry, 84.8 s later: at 84.8 to 91.8 s (8). 93 + 8 = 101.
TEST(KnownAnswers, AlwaysFailingIsDisabledByThe101stAttempt) {
  const Result result = simulated({"--down", "always", "--for", "3h"});
  ASSERT_EQ(result.changes.size(), 1U);
  expect_change(result.changes[0], {92'020, CircuitState::kActive, CircuitState::kDisabled,
                                    TransitionReason::kFailureRate});
  EXPECT_EQ(result.changes[0].transition.attempts, 101U);
  EXPECT_EQ(result.changes[0].transition.failures, 101U);
  EXPECT_EQ(result.changes[0].transition.consecutive_failures, 101U);
  EXPECT_EQ(result.starts[100].at.count_ms(), 92'000);
  EXPECT_EQ(result.deliveries.dropped, 3U * 3600);
}

// The first 10 minutes after the disabling outcome at 92 020, then 10 minutes after each failed
// probe's outcome, which takes 20 ms: 692 020, and then 600 020 more each time.
TEST(KnownAnswers, ProbesComeTenMinutesAfterTheLastOutcome) {
  const Result result = simulated({"--down", "always", "--for", "3h"});
  EXPECT_THAT(probe_times(result, 5),
              ElementsAre(692'020, 1'292'040, 1'892'060, 2'492'080, 3'092'100));
  const std::vector<int64_t> probes = probe_times(result, SIZE_MAX);
  for (size_t i = 1; i < probes.size(); ++i) {
    EXPECT_EQ(probes[i] - probes[i - 1], 600'020);
  }
  // Nothing but probes is sent after the 101st attempt.
  EXPECT_EQ(result.attempts, 101 + probes.size());
}

// Without retries attempts are events: the 2000th is number 1999, at 1 999 000.
TEST(KnownAnswers, TheConsecutiveRuleDisablesAt2000WhenTheRateRuleIsOff) {
  const Result result =
      simulated({"--down", "always", "--for", "1h", "--rate-percent", "100", "--max-retries", "0"});
  ASSERT_EQ(result.changes.size(), 1U);
  expect_change(result.changes[0], {1'999'020, CircuitState::kActive, CircuitState::kDisabled,
                                    TransitionReason::kConsecutiveFailures});
  EXPECT_EQ(result.changes[0].transition.consecutive_failures, 2000U);
}

TEST(KnownAnswers, TheConsecutiveRuleLets1999FailuresPass) {
  const Result result = simulated(
      {"--down", "always", "--events", "1999", "--rate-percent", "100", "--max-retries", "0"});
  EXPECT_EQ(result.failures, 1999U);
  EXPECT_THAT(result.changes, IsEmpty());
}

// One event in 10 s, and no retry before 100 h. The 2000th failure is that of event 1999: started
// at 19 990 000, known at 19 990 020. The n-th probe is known to have failed at
// 19 990 020 + n * 600 020. More than 72 h = 259 200 000 after the first attempt, that is n = 399:
// 19 990 020 + 399 * 600 020 = 259 398 000 (n = 398 is at 258 797 980). 2000 + 399 in a row.
TEST(KnownAnswers, FrozenAtTheFirstFailedProbeAfter72HoursOfSilence) {
  const Result result = simulated({"--down", "always", "--rate", "1/10s", "--for", "80h",
                                   "--delays", "100h", "--rate-percent", "100"});
  ASSERT_EQ(result.changes.size(), 2U);
  expect_change(result.changes[0], {19'990'020, CircuitState::kActive, CircuitState::kDisabled,
                                    TransitionReason::kConsecutiveFailures});
  expect_change(result.changes[1], {259'398'000, CircuitState::kDisabled, CircuitState::kFrozen,
                                    TransitionReason::kSilence});
  EXPECT_EQ(result.changes[1].transition.consecutive_failures, 2399U);
  // Nothing is sent once it is frozen.
  EXPECT_EQ(result.starts.back().at.count_ms(), 259'397'980);
  EXPECT_EQ(result.attempts, 2399U);
}

// Disabled by the first failure at 20; the n-th probe ends at 20 + n * (64 799 975 + 20), the
// fourth at 259 200 000: exactly 72 h after the first attempt, which is not more than 72 h.
TEST(KnownAnswers, SilenceOfExactly72HoursDoesNotFreeze) {
  const Result result =
      simulated({"--down", "always", "--rate", "1/h", "--for", "100h", "--consecutive-to-disable",
                 "1", "--consecutive-to-freeze", "1", "--probe-interval", "64799s975ms"});
  ASSERT_EQ(result.changes.size(), 2U);
  expect_change(result.changes[1], {20 + 5 * 64'799'995LL, CircuitState::kDisabled,
                                    CircuitState::kFrozen, TransitionReason::kSilence});
}

// Without retries and without the rules that disable, the 50 000th attempt is event 49 999 at
// 49 999 000: 13.9 h, long before the 72 h of the other rule.
TEST(KnownAnswers, FrozenAt50000FailuresInARow) {
  const Result result = simulated({"--down", "always", "--for", "15h", "--rate-percent", "100",
                                   "--consecutive-to-disable", "0", "--max-retries", "0"});
  ASSERT_EQ(result.changes.size(), 1U);
  expect_change(result.changes[0], {49'999'020, CircuitState::kActive, CircuitState::kFrozen,
                                    TransitionReason::kConsecutiveLimit});
  EXPECT_EQ(result.changes[0].transition.consecutive_failures, 50'000U);
  EXPECT_EQ(result.attempts, 50'000U);
}

// Three successes, then seven failures, over and over: at most 7 of 10, at the end of each round.
// 20 000 attempts at one a second stay within the window of 24 hours.
TEST(KnownAnswers, ExactlySeventyPercentNeverDisables) {
  const Result result = scripted({"--events", "20000", "--max-retries", "0"},
                                 [](uint64_t attempt) { return (attempt - 1) % 10 < 3; });
  EXPECT_EQ(result.attempts, 20'000U);
  EXPECT_EQ(result.failures, 14'000U);
  EXPECT_THAT(result.changes, IsEmpty());
}

// 30 successes, then failures. After 100 attempts 70 failed: neither more than 100 nor more than
// 70%. The 101st makes 71 of 101: 710 > 707.
TEST(KnownAnswers, OneFailureAboveSeventyPercentDisables) {
  const Result result = scripted({"--events", "200", "--max-retries", "0"},
                                 [](uint64_t attempt) { return attempt <= 30; });
  ASSERT_EQ(result.changes.size(), 1U);
  expect_change(result.changes[0], {100'020, CircuitState::kActive, CircuitState::kDisabled,
                                    TransitionReason::kFailureRate});
  EXPECT_EQ(result.changes[0].transition.attempts, 101U);
  EXPECT_EQ(result.changes[0].transition.failures, 71U);
}

// 71 of 100 is above 70% but not above 100 attempts; the 101st attempt is, but successes are not
// judged.
TEST(KnownAnswers, ASuccessAfter71FailuresIn100DoesNotDisable) {
  const Result result = scripted({"--events", "101", "--max-retries", "0"},
                                 [](uint64_t attempt) { return attempt <= 29 || attempt == 101; });
  EXPECT_EQ(result.attempts, 101U);
  EXPECT_EQ(result.failures, 71U);
  EXPECT_THAT(result.changes, IsEmpty());
}

// The next failure is: 72 of 102, 720 > 714.
TEST(KnownAnswers, TheFailureAfterThatSuccessDisables) {
  const Result result = scripted({"--events", "102", "--max-retries", "0"},
                                 [](uint64_t attempt) { return attempt <= 29 || attempt == 101; });
  ASSERT_EQ(result.changes.size(), 1U);
  EXPECT_EQ(result.changes[0].at.count_ms(), 101'020);
  EXPECT_EQ(result.changes[0].transition.attempts, 102U);
  EXPECT_EQ(result.changes[0].transition.failures, 72U);
}

// Disabled at 92 020 as above. Enabled after an hour it needs 101 failures again, in both counts.
TEST(KnownAnswers, EnablingByHandEmptiesTheCounters) {
  const Result result = simulated({"--down", "always", "--for", "2h", "--enable-at", "1h"});
  ASSERT_EQ(result.changes.size(), 3U);
  expect_change(result.changes[1], {3'600'000, CircuitState::kDisabled, CircuitState::kActive,
                                    TransitionReason::kEnabledByHand});
  const model::Transition& again = result.changes[2].transition;
  EXPECT_EQ(again.reason, TransitionReason::kFailureRate);
  EXPECT_EQ(again.attempts, 101U);
  EXPECT_EQ(again.failures, 101U);
  EXPECT_EQ(again.consecutive_failures, 101U);
}

// Each failure disables, and two in a row freeze after 72 h of silence. Enabled at 71 h, 255 600
// 000, the first attempt fails 20 ms later. The n-th probe after it ends at 255 600 020 + n * 600
// 020; more than 72 h after the enable for n = 432: 514 808 660 (n = 431 is at 514 208 640, the
// border at 514 800 000).
TEST(KnownAnswers, EnablingByHandBeginsThe72HoursAnew) {
  const Result result =
      simulated({"--down", "always", "--rate", "1/m", "--for", "150h", "--consecutive-to-disable",
                 "1", "--consecutive-to-freeze", "1", "--enable-at", "71h"});
  ASSERT_EQ(result.changes.size(), 4U);
  expect_change(result.changes[1], {255'600'000, CircuitState::kDisabled, CircuitState::kActive,
                                    TransitionReason::kEnabledByHand});
  expect_change(result.changes[2], {255'600'020, CircuitState::kActive, CircuitState::kDisabled,
                                    TransitionReason::kConsecutiveFailures});
  expect_change(result.changes[3], {514'808'660, CircuitState::kDisabled, CircuitState::kFrozen,
                                    TransitionReason::kSilence});
}

TEST(KnownAnswers, OneDeliveryFails12TimesAtTheSlotsOfTheTable) {
  const Result result = simulated({"--down", "always", "--events", "1"});
  std::vector<int64_t> expected = kSlots;
  expected.insert(expected.begin(), 0);
  EXPECT_EQ(start_times(result), expected);
  EXPECT_EQ(result.starts.back().at.count_ms(), 173'585'600);
  EXPECT_EQ(result.drops.first->count_ms(), 173'585'620);
  EXPECT_EQ(result.deliveries.dropped, 1U);
  EXPECT_EQ(result.drops.after_last_attempt, 1U);
}

// Attempt n + 1 starts f(n) after the outcome of attempt n, which comes 20 ms after its start: at
// the sum of f(1) to f(n), and 20 ms for each of the n attempts before.
TEST(KnownAnswers, WithTheOtherAnchorOneDeliveryFails11Times) {
  const Result result =
      simulated({"--down", "always", "--events", "1", "--anchor", "previous_attempt"});
  std::vector<int64_t> expected = {0};
  for (int n = 1; n <= 10; ++n) {
    const int64_t delay = ((int64_t{1} << n) - 1) * 84'800;
    expected.push_back(expected.back() + 20 + delay);
  }
  EXPECT_EQ(start_times(result), expected);
  EXPECT_EQ(expected.back(), 172'652'800 + 10 * 20);
  EXPECT_EQ(result.deliveries.dropped, 1U);
}

// All attempts that would be made without a circuit, in order; it closes at the 101st of them,
// since the counts since the last enable forget nothing.
TEST(KnownAnswers, OneEventIn3HoursIsDisabledByThe101stAttempt) {
  std::vector<int64_t> attempts;
  for (int64_t event = 0; event < 100; ++event) {
    attempts.push_back(event * 10'800'000);
    for (const int64_t slot : kSlots) {
      attempts.push_back(event * 10'800'000 + slot);
    }
  }
  std::sort(attempts.begin(), attempts.end());
  const Result result = simulated({"--down", "always", "--rate", "1/3h"});
  ASSERT_EQ(result.changes.size(), 1U);
  EXPECT_EQ(result.starts[100].at.count_ms(), attempts[100]);
  expect_change(result.changes[0], {attempts[100] + 20, CircuitState::kActive,
                                    CircuitState::kDisabled, TransitionReason::kFailureRate});
  EXPECT_EQ(result.changes[0].transition.attempts, 101U);
}

// The first event is answered 200 after 4900 ms; those at 1, 2, 3 and 4 s fail, the fourth failure
// disables at 4020. The late success sets the failures in a row to 0 and opens nothing; the probe
// 10 minutes after the disabling outcome, at 604 020, does.
TEST(KnownAnswers, ALateSuccessDoesNotEnable) {
  const auto receiver = [](Duration at, const delivery::AttemptRequest& request) -> sim::Reply {
    if (request.delivery.id.sequence() == 1) {
      return {.delay = Duration::ms(4900), .outcome = {.status = 200}};
    }
    const bool is_up = at > Duration::minutes(5);
    return {.delay = Duration::ms(20), .outcome = {.status = uint16_t(is_up ? 200 : 503)}};
  };
  const Result result = run(parsed({"--for", "1h", "--consecutive-to-disable", "4"}),
                            {.keep_starts = true, .progress = {}, .receiver = receiver});
  ASSERT_EQ(result.changes.size(), 2U);
  expect_change(result.changes[0], {4'020, CircuitState::kActive, CircuitState::kDisabled,
                                    TransitionReason::kConsecutiveFailures});
  expect_change(result.changes[1], {604'040, CircuitState::kDisabled, CircuitState::kActive,
                                    TransitionReason::kProbeSucceeded});
  EXPECT_EQ(result.changes[1].transition.consecutive_failures, 0U);
  EXPECT_THAT(probe_times(result, SIZE_MAX), ElementsAre(604'020));
  EXPECT_EQ(result.deliveries.delivered, 3600U);
  EXPECT_TRUE(result.is_conserved);
}

// Retry-After counts from the outcome: 20 + 120 000 is later than the slot at 84 800. After the
// failure known at 120 040 the slot at 254 400 is later than 240 040, and so are all that follow.
TEST(KnownAnswers, RetryAfterIsAwaited) {
  const Result result = simulated({"--down", "always", "--events", "1", "--retry-after", "2m"});
  std::vector<int64_t> expected = kSlots;
  expected[0] = 120'020;
  expected.insert(expected.begin(), 0);
  EXPECT_EQ(start_times(result), expected);
}

// Two hours are cut to one: 20 + 3 600 000. The five slots before that collapse into this attempt.
// Known at 3 600 040 it asks for 7 200 040, past the slot at 5 342 400; then for 10 800 060, past
// the slot at 10 769 600; from there on the slots are later.
TEST(KnownAnswers, RetryAfterIsCutToItsMaximum) {
  const Result result = simulated({"--down", "always", "--events", "1", "--retry-after", "2h"});
  EXPECT_THAT(start_times(result), ElementsAre(0, 3'600'020, 7'200'040, 10'800'060, 21'624'000,
                                               43'332'800, 86'750'400, 173'585'600));
}

// Down from 1 h to 7 h at 5 events/s: 2000 failures take 400 s, so the circuit closes at
// 3 600 000 + 399 800 + 20 (retries at 84.8 s and 254.4 s make it faster; hence "before"). The last
// failed probe starts before 7 h, and the next one 10 minutes later finds it up.
TEST(KnownAnswers, AnOutageEndsWithinTenMinutesAndLosesNothing) {
  const Result result = simulated({"--rate", "5/s", "--down", "6h", "--from", "1h", "--for", "9h"});
  ASSERT_EQ(result.changes.size(), 2U);
  EXPECT_LT(result.changes[0].at.count_ms(), 3'999'820);
  EXPECT_GE(result.changes[1].at, Duration::hours(7));
  EXPECT_LE(result.changes[1].at, Duration::hours(7) + Duration::ms(600'040));
  EXPECT_EQ(result.deliveries.delivered, 9U * 3600 * 5);
  ASSERT_EQ(result.drains.size(), 1U);
  EXPECT_TRUE(result.drains[0].ended.has_value());
  EXPECT_EQ(result.drains[0].left, 0U);
}

}  // namespace
}  // namespace simulate
