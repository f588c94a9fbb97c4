#include "api/delivery_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace api {
namespace {

using base::Duration;
using base::Instant;
using ::testing::HasSubstr;

constexpr Instant kQueued = Instant::from_ms(1'790'000'000'000);

core::RetrySchedule schedule_of(const model::RetryPolicy& policy) {
  return core::RetrySchedule::make(policy).value();
}

model::Delivery delivery_due(Instant due, uint32_t attempts) {
  model::Delivery delivery;
  delivery.queued_at = kQueued;
  delivery.due = due;
  delivery.attempts = attempts;
  return delivery;
}

TEST(ComingAttemptsTest, AreTheSlotsThatAreLeft) {
  const core::RetrySchedule schedule = schedule_of({});
  const auto coming =
      coming_attempts(schedule, delivery_due(kQueued + Duration::ms(84'800), 1), kQueued);
  ASSERT_EQ(coming.size(), 11U);
  for (size_t index = 0; index < coming.size(); ++index) {
    EXPECT_EQ(coming[index] - kQueued, schedule.slots()[index]);
  }
}

TEST(ComingAttemptsTest, MissedSlotsCollapseIntoOneMadeNow) {
  const Instant now = kQueued + Duration::hours(40);
  const auto coming =
      coming_attempts(schedule_of({}), delivery_due(kQueued + Duration::ms(84'800), 1), now);
  ASSERT_EQ(coming.size(), 2U);
  EXPECT_EQ(coming.front(), now);
  EXPECT_EQ(coming.back(), kQueued + Duration::ms(173'585'600));
}

TEST(ComingAttemptsTest, FollowEachOtherWhereTheScheduleCountsFromFailures) {
  const core::RetrySchedule schedule =
      schedule_of({.anchor = model::RetryAnchor::kPreviousAttempt,
                   .delays = {Duration::seconds(10), Duration::seconds(20)}});
  const auto coming = coming_attempts(schedule, delivery_due(kQueued, 0), kQueued);
  ASSERT_EQ(coming.size(), 3U);
  EXPECT_EQ(coming[1] - kQueued, Duration::seconds(10));
  EXPECT_EQ(coming[2] - kQueued, Duration::seconds(30));
}

TEST(AttemptJsonTest, WhateverTheReceiverSentTheAnswerIsJson) {
  model::AttemptDetail detail;
  detail.response_headers = "Server: x\r\nno colon\r\nEmpty:\r\nCut";
  detail.response_body = std::string("\x00\xff\"\\", 4);
  model::Attempt attempt;
  attempt.outcome.status = 500;
  attempt.outcome.detail = std::make_shared<const model::AttemptDetail>(detail);
  std::string text;
  text::JsonWriter json(text);
  write_attempt(json, attempt, {});
  match::JsonParser parser;
  const auto root = parser.parse(text);
  ASSERT_TRUE(root.has_value()) << text;
  EXPECT_EQ(root->find("response_headers").size(), 4U);
  EXPECT_THAT(text, HasSubstr(R"({"name":"Server","value":"x"},{"name":"no colon","value":""})"));
  EXPECT_TRUE(root->find("next_due_at").is_missing_or_null());
}

}  // namespace
}  // namespace api
