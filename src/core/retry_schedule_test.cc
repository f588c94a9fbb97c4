#include "core/retry_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace core {
namespace {

using base::Duration;
using base::Instant;
using model::RetryAnchor;
using model::RetryPolicy;

constexpr Instant kQueued = Instant::from_ms(1'790'000'000'000);
constexpr Duration kTick = Duration::ms(1);

RetrySchedule made(const RetryPolicy& policy = {}) { return RetrySchedule::make(policy).value(); }

std::string refusal(const RetryPolicy& policy) {
  const auto result = RetrySchedule::make(policy);
  return result.has_value() ? "" : result.error().detail;
}

model::Delivery delivery_of(uint32_t attempts = 1, uint64_t event = 1) {
  model::Delivery delivery;
  delivery.event = {event};
  delivery.subscription = {1};
  delivery.queued_at = kQueued;
  delivery.attempts = attempts;
  return delivery;
}

std::vector<int64_t> in_ms(const std::vector<Duration>& durations) {
  std::vector<int64_t> numbers;
  numbers.reserve(durations.size());
  for (const Duration duration : durations) {
    numbers.push_back(duration.count_ms());
  }
  return numbers;
}

// Due times of all retries if each attempt fails at the moment when it is made.
std::vector<int64_t> instant_retries(const RetrySchedule& schedule) {
  std::vector<int64_t> retries;
  Instant at = kQueued;
  for (uint32_t attempts = 1;; ++attempts) {
    const auto due = schedule.next_due(delivery_of(attempts), at);
    if (!due) {
      return retries;
    }
    at = *due;
    retries.push_back((at - kQueued).count_ms());
  }
}

const std::vector<int64_t> kTableFromQueueing = {84'800,     254'400,    593'600,    1'272'000,
                                                 2'628'800,  5'342'400,  10'769'600, 21'624'000,
                                                 43'332'800, 86'750'400, 173'585'600};

TEST(RetryScheduleTest, FromQueueingItIsThePublishedTable) {
  EXPECT_EQ(instant_retries(made()), kTableFromQueueing);
  EXPECT_EQ(in_ms(made().slots()), kTableFromQueueing);
}

TEST(RetryScheduleTest, FromThePreviousAttemptItIsTheOtherPublishedTable) {
  const std::vector<int64_t> table = {84'800,     339'200,    932'800,    2'204'800,  4'833'600,
                                      10'176'000, 20'945'600, 42'569'600, 85'902'400, 172'652'800};
  const RetrySchedule schedule = made({.anchor = RetryAnchor::kPreviousAttempt});
  EXPECT_EQ(instant_retries(schedule), table);
  EXPECT_EQ(in_ms(schedule.slots()), table);
}

TEST(RetryScheduleTest, TheNextSlotIsLaterThanTheFailure) {
  const RetrySchedule schedule = made();
  const Instant first = kQueued + Duration::ms(84'800);
  EXPECT_EQ(schedule.next_due(delivery_of(), first - kTick), first);
  EXPECT_EQ(schedule.next_due(delivery_of(), first), kQueued + Duration::ms(254'400));
}

TEST(RetryScheduleTest, MissedSlotsCollapseIntoOne) {
  const Instant late = kQueued + Duration::hours(20);
  EXPECT_EQ(made().next_due(delivery_of(1), late), kQueued + Duration::ms(86'750'400));
}

TEST(RetryScheduleTest, HowOftenItWasTriedDoesNotMoveTheSlots) {
  const Instant at = kQueued + Duration::hours(1);
  EXPECT_EQ(made().next_due(delivery_of(1), at), made().next_due(delivery_of(9), at));
}

TEST(RetryScheduleTest, AfterTheLastSlotThereIsNone) {
  const Instant last = kQueued + Duration::ms(173'585'600);
  EXPECT_EQ(made().next_due(delivery_of(), last - kTick), last);
  EXPECT_EQ(made().next_due(delivery_of(), last), std::nullopt);
}

TEST(RetryScheduleTest, WaitsFromThePreviousAttemptBeginAtItsOutcome) {
  const RetrySchedule schedule = made({.anchor = RetryAnchor::kPreviousAttempt});
  const Instant late = kQueued + Duration::hours(47);
  EXPECT_EQ(schedule.next_due(delivery_of(1), late), late + Duration::ms(84'800));
  EXPECT_EQ(schedule.next_due(delivery_of(10), late), late + Duration::ms(86'750'400));
  EXPECT_EQ(schedule.next_due(delivery_of(11), late), std::nullopt);
}

TEST(RetryScheduleTest, TheLastSlotFromQueueingIsTheLastRetry) {
  EXPECT_EQ(made().last_slot(delivery_of()), kQueued + Duration::ms(173'585'600));
}

TEST(RetryScheduleTest, TheLastSlotFromThePreviousAttemptIs48Hours) {
  const RetrySchedule schedule = made({.anchor = RetryAnchor::kPreviousAttempt});
  EXPECT_EQ(schedule.last_slot(delivery_of()), kQueued + Duration::ms(172'800'000));
}

TEST(RetryScheduleTest, TheLastSlotIsNeverBeforeTheWaitsAddUp) {
  const RetrySchedule schedule = made({.anchor = RetryAnchor::kPreviousAttempt,
                                       .delays = {Duration::hours(40), Duration::hours(40)}});
  EXPECT_EQ(schedule.last_slot(delivery_of()), kQueued + Duration::hours(80));
}

TEST(RetryScheduleTest, WithoutRetriesTheLastSlotIsTheFirst) {
  const RetrySchedule schedule = made({.max_retries = 0});
  EXPECT_EQ(schedule.last_slot(delivery_of()), kQueued);
  EXPECT_EQ(schedule.next_due(delivery_of(), kQueued), std::nullopt);
}

TEST(RetryScheduleTest, AnotherUnitScalesTheTable) {
  const RetrySchedule schedule = made({.unit = Duration::seconds(1), .max_retries = 3});
  EXPECT_EQ(instant_retries(schedule), (std::vector<int64_t>{1000, 3000, 7000}));
}

TEST(RetryScheduleTest, AListOfDelaysReplacesTheTable) {
  const RetrySchedule schedule =
      made({.delays = {Duration::seconds(5), Duration::minutes(5), Duration::hours(5)}});
  EXPECT_EQ(instant_retries(schedule), (std::vector<int64_t>{5000, 300'000, 18'000'000}));
}

TEST(RetryScheduleTest, AListIsCutByMaxRetries) {
  const RetrySchedule schedule =
      made({.max_retries = 1, .delays = {Duration::seconds(5), Duration::minutes(5)}});
  EXPECT_EQ(instant_retries(schedule), (std::vector<int64_t>{5000}));
}

TEST(RetryScheduleTest, EightDaysArePossible) {
  const Duration eight_days = Duration::hours(8 * 24);
  const RetrySchedule schedule = made({.delays = {Duration::hours(1), eight_days}});
  EXPECT_EQ(schedule.last_slot(delivery_of()), kQueued + eight_days);
  EXPECT_GE(made({.max_retries = 13}).slots().back(), eight_days);
}

class JitterTest : public ::testing::TestWithParam<RetryAnchor> {
 protected:
  static RetrySchedule jittered(int percent) {
    return made({.anchor = GetParam(), .jitter_percent = percent});
  }
};

INSTANTIATE_TEST_SUITE_P(Anchors, JitterTest,
                         ::testing::Values(RetryAnchor::kQueued, RetryAnchor::kPreviousAttempt));

TEST_P(JitterTest, IsOnlyEverLaterAndWithinItsShareOfTheGap) {
  const Duration gap = Duration::ms(84'800);
  for (uint64_t event = 1; event <= 500; ++event) {
    const auto due = jittered(10).next_due(delivery_of(1, event), kQueued);
    ASSERT_TRUE(due.has_value());
    EXPECT_GE(*due, kQueued + gap);
    EXPECT_LE(*due, kQueued + gap + Duration::ms(8'480));
  }
}

TEST_P(JitterTest, IsTheSameEachTime) {
  EXPECT_EQ(jittered(50).next_due(delivery_of(3, 9), kQueued),
            jittered(50).next_due(delivery_of(3, 9), kQueued));
}

TEST_P(JitterTest, SpreadsDeliveriesAndRetries) {
  std::set<Instant> due;
  for (uint64_t event = 1; event <= 200; ++event) {
    due.insert(*jittered(50).next_due(delivery_of(1, event), kQueued));
  }
  EXPECT_GT(due.size(), 190U);
}

TEST(RetryScheduleTest, TheLastSlotIncludesItsJitter) {
  const RetrySchedule schedule = made({.jitter_percent = 100});
  for (uint64_t event = 1; event <= 50; ++event) {
    const model::Delivery delivery = delivery_of(1, event);
    const Instant last = schedule.last_slot(delivery);
    EXPECT_EQ(schedule.next_due(delivery, last), std::nullopt);
    EXPECT_EQ(schedule.next_due(delivery, last - kTick), last);
  }
}

TEST(RetryScheduleTest, RefusalsNameTheSetting) {
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal({.max_retries = -2}), HasSubstr("retry.max_retries"));
  EXPECT_THAT(refusal({.max_retries = 65}), HasSubstr("retry.max_retries"));
  EXPECT_THAT(refusal({.unit = Duration()}), HasSubstr("retry.unit"));
  EXPECT_THAT(refusal({.unit = Duration::hours(24 * 366) + kTick}), HasSubstr("retry.unit"));
  EXPECT_THAT(refusal({.delays = {Duration()}}), HasSubstr("retry.delays"));
  EXPECT_THAT(refusal({.delays = {Duration::hours(2), Duration::hours(2)}}),
              HasSubstr("retry.delays"));
  EXPECT_THAT(refusal({.jitter_percent = -1}), HasSubstr("retry.jitter"));
  EXPECT_THAT(refusal({.jitter_percent = 101}), HasSubstr("retry.jitter"));
  EXPECT_THAT(refusal({.horizon = Duration::ms(-1)}), HasSubstr("retry.horizon"));
}

TEST(RetryScheduleTest, LimitsThemselvesAreAccepted) {
  EXPECT_EQ(refusal({.unit = Duration::hours(24 * 366), .max_retries = 1}), "");
  EXPECT_EQ(refusal({.jitter_percent = 100}), "");
  EXPECT_EQ(refusal({.anchor = RetryAnchor::kPreviousAttempt,
                     .delays = {Duration::hours(2), Duration::hours(1)}}),
            "");
}

TEST(RetryScheduleTest, ALastRetryBeyond366DaysIsRefused) {
  using ::testing::HasSubstr;
  // (2^n - 1) units of a day: 255 days, 511 days.
  EXPECT_EQ(refusal({.unit = Duration::hours(24), .max_retries = 8}), "");
  EXPECT_THAT(refusal({.unit = Duration::hours(24), .max_retries = 9}),
              HasSubstr("retry.max_retries"));
}

TEST(RetryScheduleTest, ScheduleThatWouldOverflowIsRefused) {
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal({.unit = Duration::ms(int64_t{1} << 30U), .max_retries = 34}),
              HasSubstr("retry.max_retries"));
  EXPECT_THAT(refusal({.max_retries = 64}), HasSubstr("retry.max_retries"));
}

}  // namespace
}  // namespace core
