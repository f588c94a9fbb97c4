// Cancelling a delivery wherever it is, and removing a subscription.

#include <gtest/gtest.h>

#include "core/core_rig.h"

namespace core {
namespace {

using base::DeliveryId;
using base::Duration;
using model::EndState;

constexpr int kCap = 10;

TEST(CancelTest, InMemory) {
  CoreRig rig;
  rig.queue_many(kCap);
  const DeliveryId id = rig.queue();
  rig.cancel(id);
  EXPECT_EQ(rig.answer(), CommandResult::kDone);
  EXPECT_EQ(rig.end_of(id), EndState::kCancelled);
  EXPECT_EQ(rig.core().unfinished().waiting, 0U);
}

TEST(CancelTest, IsAnsweredWhenItIsDurable) {
  CoreRig rig;
  rig.queue_many(kCap);
  const DeliveryId id = rig.queue();
  rig.hold_commits();
  rig.cancel(id);
  EXPECT_EQ(rig.answer(), std::nullopt);
  rig.answer_commits();
  EXPECT_EQ(rig.answer(), CommandResult::kDone);
}

TEST(CancelTest, InTheWindow) {
  CoreRig rig;
  rig.queue_many(kCap);
  const DeliveryId id = rig.queue();
  rig.run_to(Duration::seconds(2));
  ASSERT_EQ(rig.core().footprint().window_size_max, 1U);
  rig.cancel(id);
  EXPECT_EQ(rig.answer(), CommandResult::kDone);
  EXPECT_EQ(rig.core().footprint().window_size_max, 0U);
  EXPECT_FALSE(rig.disk().contains(id));
}

TEST(CancelTest, OnDisk) {
  CoreRig rig;
  rig.command(EndpointAction::kPause);
  const DeliveryId id = rig.queue();
  rig.cancel(id);
  EXPECT_EQ(rig.answer(), CommandResult::kDone);
  EXPECT_EQ(rig.end_of(id), EndState::kCancelled);
  EXPECT_EQ(rig.core().unfinished().held, 0U);
}

TEST(CancelTest, OnDiskNothingStartsWhileItIsLookedUp) {
  CoreRig rig;
  rig.command(EndpointAction::kPause);
  const DeliveryId id = rig.queue();
  rig.hold_reads();
  rig.cancel(id);
  rig.command(EndpointAction::kResume);
  rig.answer_reads();
  EXPECT_TRUE(rig.take_starts().empty());
  EXPECT_EQ(rig.end_of(id), EndState::kCancelled);
}

TEST(CancelTest, WhileItsRecordIsUnderWay) {
  CoreRig rig;
  rig.queue_many(kCap);
  const DeliveryId id = rig.queue();
  rig.hold_commits();
  rig.run_to(Duration::seconds(2));
  rig.cancel(id);
  rig.answer_commits();
  EXPECT_EQ(rig.answer(), CommandResult::kDone);
  EXPECT_EQ(rig.end_of(id), EndState::kCancelled);
}

TEST(CancelTest, InFlightItEndsUnlessItSucceeds) {
  CoreRig rig;
  const DeliveryId id = rig.queue();
  rig.cancel(id);
  EXPECT_EQ(rig.answer(), std::nullopt);
  rig.finish(rig.only_start(), kBroken);
  EXPECT_EQ(rig.answer(), CommandResult::kDone);
  EXPECT_EQ(rig.end_of(id), EndState::kCancelled);
  EXPECT_EQ(rig.endpoint().failures, 1U);
}

TEST(CancelTest, InFlightASuccessComesFirst) {
  CoreRig rig;
  const DeliveryId id = rig.queue();
  rig.cancel(id);
  rig.finish(rig.only_start(), kOk);
  EXPECT_EQ(rig.answer(), CommandResult::kTooLate);
  EXPECT_EQ(rig.end_of(id), EndState::kDelivered);
}

TEST(CancelTest, AnAttemptThatCouldNotStartIsNotMadeAgain) {
  CoreRig rig;
  const DeliveryId id = rig.queue();
  rig.finish(rig.only_start(), kNoStart);
  rig.cancel(id);
  rig.run_to(Duration::seconds(1));
  EXPECT_TRUE(rig.take_starts().empty());
  EXPECT_EQ(rig.answer(), CommandResult::kDone);
  EXPECT_EQ(rig.end_of(id), EndState::kCancelled);
}

TEST(CancelTest, BetweenOutcomeAndItsCommit) {
  CoreRig rig;
  const DeliveryId id = rig.queue();
  rig.hold_commits();
  rig.finish(rig.only_start(), kBroken);
  rig.cancel(id);
  EXPECT_EQ(rig.answer(), std::nullopt);
  rig.answer_commits();
  EXPECT_EQ(rig.answer(), CommandResult::kDone);
  EXPECT_EQ(rig.end_of(id), EndState::kCancelled);
}

TEST(CancelTest, BetweenSuccessAndItsCommitItIsTooLate) {
  CoreRig rig;
  const DeliveryId id = rig.queue();
  rig.hold_commits();
  rig.finish(rig.only_start(), kOk);
  rig.cancel(id);
  EXPECT_EQ(rig.answer(), CommandResult::kTooLate);
}

TEST(CancelTest, WhatIsBeingDroppedIsDropped) {
  CoreRig rig;
  rig.command(EndpointAction::kPause);
  const DeliveryId id = rig.queue();
  rig.run_to(Duration::hours(48));
  rig.hold_commits();
  rig.run_to(Duration::hours(49));
  rig.cancel(id);
  EXPECT_EQ(rig.answer(), std::nullopt);
  rig.answer_commits();
  EXPECT_EQ(rig.answer(), CommandResult::kTooLate);
  EXPECT_EQ(rig.end_of(id), EndState::kDropped);
}

TEST(CancelTest, WhatHasEndedIsTooLate) {
  CoreRig rig;
  const DeliveryId id = rig.queue();
  rig.finish(rig.only_start(), kOk);
  rig.cancel(id);
  EXPECT_EQ(rig.answer(), CommandResult::kTooLate);
}

TEST(CancelTest, ABlockedDelivery) {
  CoreRig rig;
  rig.queue({.own_queue = true});
  const DeliveryId blocked = rig.queue({.own_queue = true, .blocked = true});
  rig.cancel(blocked);
  EXPECT_EQ(rig.answer(), CommandResult::kDone);
  EXPECT_EQ(rig.end_of(blocked), EndState::kCancelled);
}

TEST(CancelTest, OfAShardThatIsNotOurs) {
  CoreRig rig;
  const DeliveryId id = rig.queue();
  rig.release();
  rig.cancel(id);
  EXPECT_EQ(rig.answer(), CommandResult::kNotOwner);
}

TEST(CancelTest, OfAShardThatIsLostMeanwhile) {
  CoreRig rig;
  rig.cancel(rig.queue());
  rig.release();
  EXPECT_EQ(rig.answer(), CommandResult::kNotOwner);
}

TEST(CancelTest, OnDiskOfAShardThatIsLostMeanwhile) {
  CoreRig rig;
  rig.command(EndpointAction::kPause);
  const DeliveryId id = rig.queue();
  rig.hold_reads();
  rig.cancel(id);
  rig.release();
  EXPECT_EQ(rig.answer(), CommandResult::kNotOwner);
}

TEST(RemovedSubscriptionTest, NothingOfItStartsAnyMore) {
  CoreRig rig;
  rig.queue_many(kCap);
  const DeliveryId waiting = rig.queue();
  rig.step(SubscriptionRemoved{.subscription = {1}});
  rig.finish_all(kOk);
  EXPECT_TRUE(rig.take_starts().empty());
  EXPECT_EQ(rig.end_of(waiting), EndState::kCancelled);
}

TEST(RemovedSubscriptionTest, WhatIsInFlightMaySucceed) {
  CoreRig rig;
  const DeliveryId id = rig.queue();
  rig.step(SubscriptionRemoved{.subscription = {1}});
  rig.finish(rig.only_start(), kOk);
  EXPECT_EQ(rig.end_of(id), EndState::kDelivered);
}

TEST(RemovedSubscriptionTest, WhatIsInFlightAndFailsIsCancelled) {
  CoreRig rig;
  const DeliveryId id = rig.queue();
  rig.step(SubscriptionRemoved{.subscription = {1}});
  rig.finish(rig.only_start(), kBroken);
  EXPECT_EQ(rig.end_of(id), EndState::kCancelled);
  EXPECT_TRUE(rig.disk().empty());
}

TEST(RemovedSubscriptionTest, OthersOfTheEndpointGoOn) {
  CoreRig rig;
  rig.step(SubscriptionRemoved{.subscription = {1}});
  const DeliveryId other = rig.queue({.subscription = 2});
  EXPECT_EQ(rig.only_start().delivery.id, other);
}

TEST(RemovedSubscriptionTest, ItIsNoProbe) {
  Options options;
  options.circuit.rate_percent = 100;
  options.circuit.consecutive_to_disable = 3;
  CoreRig rig(options);
  rig.queue_many(3);
  rig.finish_all(kBroken);
  rig.run_to(Duration::minutes(5));
  const DeliveryId other = rig.queue({.subscription = 2});
  rig.step(SubscriptionRemoved{.subscription = {1}});
  rig.run_to(Duration::minutes(10));
  EXPECT_EQ(rig.only_start().delivery.id, other);
  EXPECT_EQ(rig.end_of(DeliveryId::make(1, 0)), EndState::kCancelled);
}

}  // namespace
}  // namespace core
