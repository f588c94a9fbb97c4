#include "api/tail_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "match/json.h"
#include "text/id_text.h"

namespace api {
namespace {

using base::Duration;
using base::Instant;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Instant kStart = Instant::from_ms(1'790'000'000'000);
constexpr base::Sequence kSequence = 5;

class TailMessage : public testing::Test {
 protected:
  TailMessage() {
    change_.delivery = base::DeliveryId::make(kSequence, 1);
    change_.owner = {
        .tenant = {1}, .endpoint = base::EndpointId::make(1, 2), .subscription = {3}, .object = {}};
    event_.type = "order.paid";
  }

  // Valid until the next.
  match::JsonValue parse(const std::string& text) {
    EXPECT_EQ(text.find('\n'), std::string::npos);
    const auto root = parser_.parse(text);
    EXPECT_TRUE(root.has_value()) << text;
    return root.value();
  }

  model::DeliveryChange change_;
  model::Event event_;
  match::JsonParser parser_;
};

TEST_F(TailMessage, AnAttemptComesWithItsDeliveryAndWhenTheNextIs) {
  change_.attempt = model::Attempt{.delivery = change_.delivery,
                                   .endpoint = change_.owner.endpoint,
                                   .number = 2,
                                   .started_at = kStart,
                                   .finished_at = kStart + Duration::ms(30)};
  change_.attempt->outcome.status = 503;
  change_.placed.emplace();
  change_.placed->due = kStart + Duration::hours(1);
  const match::JsonValue root = parse(attempt_text(change_, &event_));
  EXPECT_EQ(root.find("delivery").as_string(), text::id_text(change_.delivery));
  EXPECT_EQ(root.find("subscription").as_string(), text::id_text(change_.owner.subscription));
  EXPECT_EQ(root.find("endpoint").as_string(), text::id_text(change_.owner.endpoint));
  EXPECT_EQ(root.find("event").as_string(), text::event_id_text(kSequence));
  EXPECT_EQ(root.find("event_type").as_string(), "order.paid");
  const match::JsonValue attempt = root.find("attempt");
  EXPECT_EQ(attempt.find("number").as_integer(), 2);
  EXPECT_EQ(attempt.find("status").as_integer(), 503);
  EXPECT_EQ(attempt.find("duration_ms").as_integer(), 30);
  EXPECT_FALSE(attempt.find("next_due_at").is_missing_or_null());
}

TEST_F(TailMessage, WhatAReceiverSentIsNotInIt) {
  model::AttemptDetail detail;
  detail.response_body = std::string(10'000, 'x');
  change_.attempt.emplace();
  change_.attempt->outcome.detail = std::make_shared<const model::AttemptDetail>(detail);
  const std::string text = attempt_text(change_, &event_);
  EXPECT_THAT(text, Not(HasSubstr("xxx")));
  EXPECT_NE(change_.attempt->outcome.detail, nullptr);
}

TEST_F(TailMessage, AnEventThatIsNotInMemoryHasNoName) {
  change_.attempt.emplace();
  const match::JsonValue root = parse(attempt_text(change_, nullptr));
  EXPECT_EQ(root.find("event").kind(), match::JsonKind::kNull);
  EXPECT_EQ(root.find("event_type").kind(), match::JsonKind::kNull);
}

TEST_F(TailMessage, AnEndSaysHow) {
  event_.id = "o-1";
  change_.end = model::EndState::kDropped;
  const match::JsonValue root = parse(ended_text(change_, &event_, kStart));
  EXPECT_EQ(root.find("state").as_string(), "dropped");
  EXPECT_EQ(root.find("event").as_string(), "o-1");
  EXPECT_FALSE(root.find("ended_at").is_missing_or_null());
}

TEST_F(TailMessage, AnAcceptedEventHasNoPayload) {
  event_.payload = R"({"secret":1})";
  event_.object_code = "ORDER";
  const std::string text = accepted_text(kSequence, event_, 12, kStart);
  EXPECT_THAT(text, Not(HasSubstr("secret")));
  const match::JsonValue root = parse(text);
  EXPECT_EQ(root.find("matched").as_integer(), 12);
  EXPECT_EQ(root.find("object_code").as_string(), "ORDER");
  EXPECT_TRUE(root.find("unmatched_reason").is_missing_or_null());
}

TEST_F(TailMessage, AnEventThatNobodyWantsSaysWhy) {
  event_.unmatched_reason = "there is no subscription";
  const match::JsonValue root = parse(accepted_text(kSequence, event_, 0, kStart));
  EXPECT_EQ(root.find("unmatched_reason").as_string(), "there is no subscription");
}

TEST_F(TailMessage, ATransitionHasItsReasonInWords) {
  const model::Transition transition{.endpoint = change_.owner.endpoint,
                                     .at = kStart,
                                     .from = model::CircuitState::kActive,
                                     .to = model::CircuitState::kDisabled,
                                     .reason = model::TransitionReason::kConsecutiveFailures,
                                     .consecutive_failures = 2000};
  const match::JsonValue root = parse(circuit_text(transition, {}));
  EXPECT_EQ(root.find("endpoint").as_string(), text::id_text(change_.owner.endpoint));
  EXPECT_EQ(root.find("from").as_string(), "active");
  EXPECT_EQ(root.find("to").as_string(), "disabled");
  EXPECT_THAT(std::string(root.find("message").as_string()), HasSubstr("2,000 attempts"));
}

}  // namespace
}  // namespace api
