// load_delivery: a delivery in every state it can be in.

#include <gtest/gtest.h>

#include "tests/conformance/describe.h"
#include "tests/conformance/store_suite.h"

namespace conformance {
namespace {

using model::Delivery;
using model::EndState;

class DeliveryStates : public StoreSuite {
 protected:
  // Before a restart and after it.
  void expect_waiting(const Delivery& expected) {
    EXPECT_EQ(describe(waiting(expected.id)), describe(expected));
    restart();
    EXPECT_EQ(describe(waiting(expected.id)), describe(expected));
  }

  void expect_ended(const Delivery& delivery, EndState how) {
    for (int round = 0; round < 2; ++round) {
      const auto found = find(delivery.id);
      ASSERT_TRUE(found.has_value());
      EXPECT_EQ(found->end, how);
      EXPECT_EQ(found->delivery.id, delivery.id);
      EXPECT_EQ(found->delivery.event, delivery.event);
      EXPECT_EQ(found->delivery.endpoint, delivery.endpoint);
      EXPECT_EQ(found->delivery.tenant, delivery.tenant);
      EXPECT_EQ(found->delivery.subscription, delivery.subscription);
      restart();
    }
  }
};

HOLD_EVERY_STORE_TO(DeliveryStates);

TEST_P(DeliveryStates, InMemory) { expect_waiting(publish_one(kInMemory)); }

TEST_P(DeliveryStates, Recorded) { expect_waiting(publish_one({.queued = 10})); }

TEST_P(DeliveryStates, Spilled) {
  Delivery delivery = publish_one(kInMemory);
  write({spilled(delivery)});
  delivery.recorded = true;
  expect_waiting(delivery);
}

TEST_P(DeliveryStates, SpilledIntoAnotherQueue) {
  const Delivery delivery = publish_one({.subscription = 8, .recorded = false});
  Delivery moved = delivery;
  moved.queue = {8};
  moved.recorded = true;
  write({placed(delivery, moved)});
  expect_waiting(moved);
}

TEST_P(DeliveryStates, WaitingForARetry) {
  const Delivery delivery = publish_one(kInMemory);
  write({failed(delivery, 500)});
  expect_waiting(retry_of(delivery, 500));
}

TEST_P(DeliveryStates, WaitingForALaterRetry) {
  Delivery delivery = publish_one({});
  for (const int64_t next : {500, 1'500, 3'500}) {
    write({failed(delivery, next)});
    delivery = retry_of(delivery, next);
  }
  expect_waiting(delivery);
}

TEST_P(DeliveryStates, MovedToAnotherQueue) {
  const Delivery delivery = publish_one({.subscription = 8});
  write({failed(delivery, 500)});
  Delivery moved = retry_of(delivery, 500);
  moved.queue = {8};
  write({placed(retry_of(delivery, 500), moved)});
  expect_waiting(moved);
}

TEST_P(DeliveryStates, Blocked) {
  publish_one({.object = 5});
  expect_waiting(publish_one({.object = 5}));
}

TEST_P(DeliveryStates, DeliveredAtTheFirstAttempt) {
  const Delivery delivery = publish_one(kInMemory);
  write({delivered(delivery)});
  expect_ended(delivery, EndState::kDelivered);
}

TEST_P(DeliveryStates, DeliveredAtARetry) {
  const Delivery delivery = publish_one({});
  write({failed(delivery, 500)});
  write({failed(retry_of(delivery, 500), 900)});
  write({delivered(retry_of(retry_of(delivery, 500), 900))});
  expect_ended(delivery, EndState::kDelivered);
}

TEST_P(DeliveryStates, DroppedAfterItsLastAttempt) {
  const Delivery delivery = publish_one({});
  write({failed(delivery, 500)});
  model::DeliveryChange last = ended(retry_of(delivery, 500), EndState::kDropped);
  last.attempt = attempt_of(retry_of(delivery, 500), response(503));
  write({last});
  expect_ended(delivery, EndState::kDropped);
}

TEST_P(DeliveryStates, DroppedWhileHeld) {
  const Delivery delivery = publish_one({});
  write({ended(delivery, EndState::kDropped)});
  expect_ended(delivery, EndState::kDropped);
}

TEST_P(DeliveryStates, DroppedWhileHeldAfterAnAttempt) {
  const Delivery delivery = publish_one({});
  write({failed(delivery, 500)});
  write({ended(retry_of(delivery, 500), EndState::kDropped)});
  expect_ended(delivery, EndState::kDropped);
}

TEST_P(DeliveryStates, Cancelled) {
  const Delivery delivery = publish_one(kInMemory);
  write({ended(delivery, EndState::kCancelled)});
  expect_ended(delivery, EndState::kCancelled);
}

TEST_P(DeliveryStates, CancelledWhileBlocked) {
  publish_one({.object = 5});
  const Delivery delivery = publish_one({.object = 5});
  write({ended(delivery, EndState::kCancelled)});
  expect_ended(delivery, EndState::kCancelled);
}

TEST_P(DeliveryStates, Unknown) {
  const Delivery delivery = publish_one({});
  EXPECT_FALSE(find(base::DeliveryId::make(delivery.id.sequence(), 1)).has_value());
  EXPECT_FALSE(find(base::DeliveryId::make(delivery.id.sequence() + 1, 0)).has_value());
  EXPECT_FALSE(find({}).has_value());
  EXPECT_FALSE(find({~uint64_t{0}}).has_value());
}

TEST_P(DeliveryStates, NeighboursOfAFanOutAreApart) {
  const store::PublishResult result =
      publish(event_with(1, {{.subscription = 1}, {.subscription = 2}, {.subscription = 3}}));
  const std::vector<Delivery>& deliveries = result.deliveries;
  write({delivered(deliveries.at(0)), failed(deliveries.at(2), 500)});
  EXPECT_EQ(end_of(deliveries[0].id), EndState::kDelivered);
  EXPECT_EQ(describe(waiting(deliveries[1].id)), describe(deliveries[1]));
  EXPECT_EQ(describe(waiting(deliveries[2].id)), describe(retry_of(deliveries[2], 500)));
}

}  // namespace
}  // namespace conformance
