#include "delivery/intake.h"

#include <gtest/gtest.h>

#include "tests/delivery/rig.h"

namespace delivery {
namespace {

using base::Duration;
using base::ErrorCode;

constexpr sim::StoreFaults kSlow{.commit_delay_min = Duration::seconds(5),
                                 .commit_delay_max = Duration::seconds(5)};

TEST(IntakeTest, AcknowledgesWhenTheEventIsDurableAndNotBefore) {
  Rig rig;
  rig.store().set_faults(kSlow);
  rig.publish(1);
  rig.run_for(Duration::ms(4'999));
  EXPECT_FALSE(rig.is_answered(1));
  EXPECT_TRUE(rig.attempts().empty());
  rig.run_for(Duration::ms(1));
  ASSERT_TRUE(rig.is_answered(1));
  EXPECT_TRUE(rig.answer(1).has_value());
  EXPECT_TRUE(rig.store().tables().find_event({1}).has_value());
  EXPECT_EQ(rig.attempts().size(), 1U);
}

TEST(IntakeTest, TheAnswerNamesTheDeliveries) {
  Rig rig;
  rig.publish(1);
  rig.run_for(Duration::seconds(1));
  ASSERT_TRUE(rig.answer(1).has_value());
  ASSERT_EQ(rig.answer(1)->deliveries.size(), 1U);
  EXPECT_TRUE(rig.answer(1)->deliveries.at(0).id.is_set());
  EXPECT_EQ(rig.answer(1)->deliveries.at(0).last_slot, kStart + Duration::ms(173'585'600));
}

TEST(IntakeTest, AnEventThatCouldNotBeStoredIsRefusedAndNotSent) {
  Rig rig;
  rig.store().set_faults({.failed_per_mille = 1000});
  rig.publish(1);
  rig.run_for(Duration::minutes(1));
  ASSERT_TRUE(rig.is_answered(1));
  EXPECT_EQ(rig.answer(1).error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(rig.attempts().empty());
  EXPECT_TRUE(rig.intake().is_quiet());
}

TEST(IntakeTest, AnUnclearPublishIsAskedAgainUntilItIsKnown) {
  Rig rig;
  rig.store().set_faults({.unclear_per_mille = 1000});
  rig.publish(1);
  rig.run_for(Duration::ms(999));
  EXPECT_FALSE(rig.is_answered(1));
  EXPECT_FALSE(rig.intake().is_quiet());
  rig.store().set_faults({});
  rig.run_for(Duration::ms(1));
  ASSERT_TRUE(rig.is_answered(1));
  EXPECT_TRUE(rig.answer(1).has_value());
}

TEST(IntakeTest, AnUnclearPublishIsSentOnceInTheEnd) {
  Rig rig;
  rig.store().set_faults({.unclear_per_mille = 500});
  for (uint64_t event = 1; event <= 50; ++event) {
    rig.publish(event);
    rig.run_for(Duration::seconds(20));
  }
  rig.store().set_faults({});
  rig.run_for(Duration::minutes(1));
  EXPECT_EQ(rig.attempts().size(), 50U);
  EXPECT_EQ(rig.store().tables().tally().delivered, 50U);
}

TEST(IntakeTest, OnceUnclearAFailureIsNoAnswer) {
  Rig rig;
  rig.store().set_faults({.unclear_per_mille = 1000});
  rig.publish(1);
  rig.run_for(Duration::ms(500));
  rig.store().set_faults({.failed_per_mille = 1000});
  rig.run_for(Duration::minutes(1));
  EXPECT_FALSE(rig.is_answered(1));
  rig.store().set_faults({});
  rig.run_for(Duration::seconds(1));
  EXPECT_TRUE(rig.answer(1).has_value());
}

TEST(IntakeTest, ARepeatedEventIsAcknowledgedAndNotSentAgain) {
  Rig rig;
  rig.publish(1);
  rig.run_for(Duration::seconds(1));
  const auto first = rig.answer(1)->deliveries.at(0).id;
  rig.publish(1);
  rig.run_for(Duration::minutes(1));
  EXPECT_EQ(rig.answer(1)->deliveries.at(0).id, first);
  EXPECT_EQ(rig.attempts().size(), 1U);
}

TEST(IntakeTest, MoreThanTheAllowedPublishesUnderWayAreRefused) {
  Rig rig({.publishes_max = 2});
  rig.store().set_faults(kSlow);
  rig.publish(1);
  rig.publish(2);
  rig.publish(3);
  EXPECT_FALSE(rig.is_answered(2));
  ASSERT_TRUE(rig.is_answered(3));
  EXPECT_EQ(rig.answer(3).error().code, ErrorCode::kUnavailable);
  rig.redeliver(4, 1);
  EXPECT_EQ(rig.answer(4).error().code, ErrorCode::kUnavailable);
  rig.run_for(Duration::seconds(30));
  rig.publish(5);
  rig.run_for(Duration::seconds(30));
  EXPECT_TRUE(rig.answer(5).has_value());
}

TEST(IntakeTest, AnEventForTooManySubscriptionsIsInvalid) {
  Rig rig;
  const std::vector<MatchedSubscription> matches(base::DeliveryId::kFanOutMax + 1,
                                                 Rig::subscription());
  std::optional<ErrorCode> code;
  rig.intake().publish({.id = {1}, .tenant = {1}}, matches,
                       [&](const Intake::Accepted& accepted) { code = accepted.error().code; });
  EXPECT_EQ(code, ErrorCode::kInvalid);
  EXPECT_TRUE(rig.intake().is_quiet());
}

TEST(IntakeTest, AnEventWithoutSubscriptionsIsAccepted) {
  Rig rig;
  bool is_accepted = false;
  rig.intake().publish({.id = {1}, .tenant = {1}}, {}, [&](const Intake::Accepted& accepted) {
    is_accepted = accepted.has_value() && accepted->deliveries.empty();
  });
  rig.run_for(Duration::seconds(1));
  EXPECT_TRUE(is_accepted);
}

TEST(IntakeTest, EachStoredEventIsToldOnceAlsoIfNobodyWantsIt) {
  Rig rig;
  rig.store().set_faults({.unclear_per_mille = 500});
  for (uint64_t event = 1; event <= 10; ++event) {
    rig.publish(event);
  }
  rig.intake().publish({.id = {11}, .tenant = {1}}, {}, [](const Intake::Accepted&) {});
  rig.run_for(Duration::minutes(5));
  ASSERT_EQ(rig.stored().size(), 11U);
  size_t deliveries = 0;
  for (const Rig::StoredEvent& event : rig.stored()) {
    deliveries += event.deliveries;
  }
  EXPECT_EQ(deliveries, 10U);
}

TEST(IntakeTest, AnEventThatCouldNotBeStoredIsNotToldOf) {
  Rig rig;
  rig.store().set_faults({.failed_per_mille = 1000});
  rig.publish(1);
  rig.run_for(Duration::minutes(1));
  EXPECT_TRUE(rig.stored().empty());
}

TEST(IntakeTest, ManyEventsAtOnceAreEachAnsweredInOrder) {
  Rig rig;
  std::vector<Publication> publications;
  for (uint64_t event = 1; event <= 3; ++event) {
    publications.push_back(
        {.event = {.id = {event}, .tenant = {1}}, .matches = {Rig::subscription()}});
  }
  publications[1].matches.resize(10'001, Rig::subscription());
  std::vector<Intake::Accepted> answers;
  rig.intake().publish_all(publications,
                           [&](std::vector<Intake::Accepted> all) { answers = std::move(all); });
  EXPECT_TRUE(answers.empty());
  rig.run_for(Duration::seconds(1));
  ASSERT_EQ(answers.size(), 3U);
  ASSERT_TRUE(answers[0].has_value());
  ASSERT_FALSE(answers[1].has_value());
  ASSERT_TRUE(answers[2].has_value());
  EXPECT_EQ(answers[0]->deliveries.at(0).event, base::EventId{1});
  EXPECT_EQ(answers[1].error().code, ErrorCode::kInvalid);
  EXPECT_LT(answers[0]->sequence, answers[2]->sequence);
  EXPECT_EQ(rig.attempts().size(), 2U);
  EXPECT_TRUE(rig.intake().is_quiet());
}

TEST(IntakeTest, OfManyEventsAtOnceThoseWithoutRoomAreRefused) {
  Rig rig({.publishes_max = 2});
  const std::vector<Publication> publications = {
      {.event = {.id = {1}, .tenant = {1}}, .matches = {}},
      {.event = {.id = {2}, .tenant = {1}}, .matches = {}},
      {.event = {.id = {3}, .tenant = {1}}, .matches = {}}};
  std::vector<Intake::Accepted> answers;
  rig.intake().publish_all(publications,
                           [&](std::vector<Intake::Accepted> all) { answers = std::move(all); });
  rig.run_for(Duration::seconds(1));
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_TRUE(answers[0].has_value() && answers[1].has_value());
  EXPECT_EQ(answers[2].error().code, ErrorCode::kUnavailable);
}

TEST(IntakeTest, ARedeliveryIsANewDeliveryInTheRetryLane) {
  Rig rig;
  rig.publish(1);
  rig.run_for(Duration::minutes(5));
  rig.redeliver(2, 1);
  rig.run_for(Duration::seconds(1));
  ASSERT_TRUE(rig.answer(2).has_value());
  const model::Delivery& again = rig.answer(2)->deliveries.at(0);
  EXPECT_NE(again.id, rig.answer(1)->deliveries.at(0).id);
  EXPECT_EQ(again.event, base::EventId{1});
  EXPECT_EQ(again.queued_at, kStart + Duration::minutes(5));
  EXPECT_FALSE(again.object.is_set());  // redeliveries are not ordered
  ASSERT_EQ(rig.attempts().size(), 2U);
  EXPECT_EQ(rig.attempts()[1].lane, model::Lane::kRetry);
  EXPECT_EQ(rig.attempts()[1].number, 1U);
}

TEST(IntakeTest, OrderedSubscriptionsCarryTheObjectAndOthersDoNot) {
  Rig rig;
  MatchedSubscription ordered = Rig::subscription();
  ordered.ordered = true;
  ordered.has_own_queue = true;
  const model::Publish publish = rig.intake().make_publish(
      {.id = {1}, .tenant = {1}, .object = {7}}, {Rig::subscription(), ordered});
  EXPECT_FALSE(publish.deliveries[0].object.is_set());
  EXPECT_EQ(publish.deliveries[0].queue, model::kSharedQueue);
  EXPECT_EQ(publish.deliveries[1].object, base::ObjectId{7});
  EXPECT_EQ(publish.deliveries[1].queue, ordered.id);
}

}  // namespace
}  // namespace delivery
