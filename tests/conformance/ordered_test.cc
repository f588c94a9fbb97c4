// Ordered deliveries: at most one unfinished delivery per subscription and object is due, the
// oldest; its end promotes the next.

#include <gtest/gtest.h>

#include "tests/conformance/describe.h"
#include "tests/conformance/store_suite.h"

namespace conformance {
namespace {

using base::DeliveryId;
using model::Delivery;
using model::DueRange;
using model::EndState;
using store::SectionResult;

using Ids = std::vector<DeliveryId>;

class OrderedDeliveries : public StoreSuite {
 protected:
  Delivery publish_in_line(int64_t queued, uint64_t object = 5) {
    return publish_one({.object = object, .queued = queued});
  }
};

HOLD_EVERY_STORE_TO(OrderedDeliveries);

TEST_P(OrderedDeliveries, OnlyTheFirstOfAnObjectIsDue) {
  const Delivery first = publish_in_line(10);
  const Delivery second = publish_in_line(20);
  EXPECT_FALSE(first.blocked);
  EXPECT_TRUE(second.blocked);
  EXPECT_EQ(ids_of(due(9).deliveries), (Ids{first.id}));
}

TEST_P(OrderedDeliveries, ABlockedDeliveryAlwaysHasARecord) {
  publish_one({.object = 5, .recorded = false});
  const Delivery second = publish_one({.object = 5, .recorded = false});
  EXPECT_TRUE(second.blocked);
  EXPECT_TRUE(second.recorded);
  EXPECT_TRUE(due(9).deliveries.empty());
  EXPECT_EQ(describe(waiting(second.id)), describe(second));
}

TEST_P(OrderedDeliveries, ObjectsAndSubscriptionsAreApart) {
  publish_one({.subscription = 1, .object = 5});
  EXPECT_FALSE(publish_one({.subscription = 2, .object = 5}).blocked);
  EXPECT_FALSE(publish_one({.subscription = 1, .object = 6}).blocked);
  EXPECT_FALSE(publish_one({.subscription = 1, .object = 0}).blocked);
  EXPECT_TRUE(publish_one({.subscription = 1, .object = 5}).blocked);
}

TEST_P(OrderedDeliveries, TheSecondOfOneBatchIsBlocked) {
  const store::BatchResult result =
      commit({.publishes = {event_with(1, {{.object = 5}}), event_with(2, {{.object = 5}})},
              .sections = {},
              .low_water = {}});
  EXPECT_FALSE(result.publishes.at(0).deliveries.at(0).blocked);
  EXPECT_TRUE(result.publishes.at(1).deliveries.at(0).blocked);
}

TEST_P(OrderedDeliveries, TheEndOfTheFirstPromotesTheNextHoweverItEnded) {
  Delivery first = publish_in_line(10);
  for (const EndState how : {EndState::kDelivered, EndState::kDropped, EndState::kCancelled}) {
    const Delivery second = publish_in_line((first.queued_at - kStart).count_ms() + 10);
    const SectionResult result =
        write({how == EndState::kDelivered ? delivered(first) : ended(first, how)});
    Delivery expected = second;
    expected.blocked = false;
    ASSERT_EQ(describe(result.promoted), describe(std::vector<Delivery>{expected}));
    EXPECT_EQ(describe(due(9).deliveries), describe(std::vector<Delivery>{expected}));
    EXPECT_EQ(describe(waiting(second.id)), describe(expected));
    first = expected;
  }
}

TEST_P(OrderedDeliveries, ThePromotedOneIsAFirstAttemptDueSinceItWasQueued) {
  const Delivery first = publish_in_line(10);
  const Delivery second = publish_in_line(20);
  write({failed(first, 500)});
  const SectionResult result = write({delivered(retry_of(first, 500))});
  ASSERT_EQ(result.promoted.size(), 1U);
  EXPECT_EQ(result.promoted[0].id, second.id);
  EXPECT_EQ(result.promoted[0].due, second.queued_at);
  EXPECT_EQ(result.promoted[0].range, DueRange::kFirst);
  EXPECT_TRUE(result.promoted[0].recorded);
}

TEST_P(OrderedDeliveries, AFailureOfTheFirstPromotesNobody) {
  const Delivery first = publish_in_line(10);
  publish_in_line(20);
  EXPECT_TRUE(write({failed(first, 500)}).promoted.empty());
  EXPECT_TRUE(due(9).deliveries.empty());
  EXPECT_EQ(ids_of(due(9, DueRange::kRetry).deliveries), (Ids{first.id}));
}

TEST_P(OrderedDeliveries, TheLastOfALinePromotesNobody) {
  const Delivery first = publish_in_line(10);
  EXPECT_TRUE(write({delivered(first)}).promoted.empty());
  EXPECT_FALSE(publish_in_line(20).blocked);
}

TEST_P(OrderedDeliveries, AFirstThatNeverHadARecordPromotesTheNext) {
  const Delivery first = publish_one({.object = 5, .recorded = false});
  const Delivery second = publish_in_line(20);
  EXPECT_EQ(ids_of(write({delivered(first)}).promoted), (Ids{second.id}));
}

TEST_P(OrderedDeliveries, TheEndOfABlockedOnePromotesNobody) {
  const Delivery first = publish_in_line(10);
  const Delivery second = publish_in_line(20);
  const Delivery third = publish_in_line(30);
  EXPECT_TRUE(write({ended(second, EndState::kCancelled)}).promoted.empty());
  EXPECT_EQ(end_of(second.id), EndState::kCancelled);
  EXPECT_TRUE(waiting(third.id).blocked);
  EXPECT_EQ(ids_of(write({delivered(first)}).promoted), (Ids{third.id}));
}

TEST_P(OrderedDeliveries, OneThatIsPromotedAndEndsInTheSameSectionIsNotReported) {
  const Delivery first = publish_in_line(10);
  const Delivery second = publish_in_line(20);
  const Delivery third = publish_in_line(30);
  const SectionResult result = write({delivered(first), ended(second, EndState::kCancelled)});
  EXPECT_EQ(ids_of(result.promoted), (Ids{third.id}));
  EXPECT_EQ(end_of(second.id), EndState::kCancelled);
  EXPECT_EQ(ids_of(due(9).deliveries), (Ids{third.id}));
  EXPECT_EQ(ids_of(expired(9).deliveries), (Ids{third.id}));
}

TEST_P(OrderedDeliveries, TheWholeLineMayEndInOneSection) {
  for (const bool is_forward : {true, false}) {
    std::vector<model::DeliveryChange> changes;
    for (int64_t queued = 10; queued <= 50; queued += 10) {
      changes.push_back(ended(publish_in_line(queued), EndState::kDropped));
    }
    const std::vector<model::DeliveryChange> reversed(changes.rbegin(), changes.rend());
    EXPECT_TRUE(write(is_forward ? changes : reversed).promoted.empty());
    EXPECT_TRUE(due(9).deliveries.empty());
    EXPECT_TRUE(expired(9).deliveries.empty());
  }
  EXPECT_FALSE(publish_in_line(60).blocked);
}

TEST_P(OrderedDeliveries, ManyMayBePromotedInOneBatch) {
  const Delivery first = publish_in_line(10);
  const Delivery second = publish_in_line(20);
  Delivery promoted = second;
  promoted.blocked = false;
  const Delivery third = publish_in_line(30);
  const store::BatchResult result =
      commit({.publishes = {},
              .sections = {next_section({delivered(first)}), next_section({delivered(promoted)})},
              .low_water = {}});
  EXPECT_EQ(ids_of(result.sections.at(0).promoted), (Ids{second.id}));
  EXPECT_EQ(ids_of(result.sections.at(1).promoted), (Ids{third.id}));
  EXPECT_EQ(ids_of(due(9).deliveries), (Ids{third.id}));
}

TEST_P(OrderedDeliveries, OneThatIsPublishedAndPromotedInOneBatchIsDue) {
  const Delivery first = publish_in_line(10);
  const store::BatchResult result =
      commit({.publishes = {event_with(1, {{.object = 5, .queued = 20, .recorded = false}})},
              .sections = {next_section({delivered(first)})},
              .low_water = {}});
  const DeliveryId second = result.publishes.at(0).deliveries.at(0).id;
  EXPECT_EQ(ids_of(result.sections.at(0).promoted), (Ids{second}));
  EXPECT_FALSE(waiting(second).blocked);
  EXPECT_EQ(ids_of(due(9).deliveries), (Ids{second}));
}

TEST_P(OrderedDeliveries, TheNextMayGoToAnotherQueueOfItsEndpoint) {
  const Delivery first = publish_in_line(10);
  const Delivery second = publish_one({.queue = {1}, .object = 5, .queued = 20});
  EXPECT_EQ(ids_of(write({delivered(first)}).promoted), (Ids{second.id}));
  EXPECT_TRUE(due(9).deliveries.empty());
  const model::DuePage own =
      due({.endpoint = kEndpoint, .queue = {1}, .range = DueRange::kFirst, .from = {}, .limit = 9});
  EXPECT_EQ(ids_of(own.deliveries), (Ids{second.id}));
}

TEST_P(OrderedDeliveries, ARedeliveryIsNotOrdered) {
  publish_in_line(10);
  model::Publish again = event_with(99, {{.object = 0, .queued = 20}});
  again.deliveries[0].range = DueRange::kRetry;
  const Delivery redelivery = publish(again).deliveries.at(0);
  EXPECT_FALSE(redelivery.blocked);
  EXPECT_EQ(ids_of(due(9, DueRange::kRetry).deliveries), (Ids{redelivery.id}));
  EXPECT_TRUE(write({delivered(redelivery)}).promoted.empty());
}

TEST_P(OrderedDeliveries, LinesSurviveARestart) {
  const Delivery first = publish_in_line(10);
  const Delivery second = publish_in_line(20);
  const Delivery third = publish_in_line(30);
  write({delivered(first)});
  restart();
  EXPECT_EQ(ids_of(due(9).deliveries), (Ids{second.id}));
  EXPECT_TRUE(waiting(third.id).blocked);
  EXPECT_TRUE(publish_in_line(40).blocked);
  EXPECT_EQ(ids_of(write({delivered(waiting(second.id))}).promoted), (Ids{third.id}));
}

}  // namespace
}  // namespace conformance
