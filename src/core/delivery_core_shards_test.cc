// Giving up what is held, shards that come and go, and what is told to people.

#include <gtest/gtest.h>

#include "core/core_rig.h"

namespace core {
namespace {

using base::DeliveryId;
using base::Duration;
using model::CircuitState;
using model::EndState;
using model::OperationalType;
using Types = std::vector<OperationalType>;

constexpr Duration kTick = Duration::ms(1);
constexpr Duration kLastSlot = Duration::ms(173'585'600);

Options touchy() {
  Options options;
  options.circuit.rate_percent = 100;
  options.circuit.consecutive_to_disable = 3;
  return options;
}

Options freezing() {
  Options options = touchy();
  options.circuit.consecutive_limit = 3;
  return options;
}

void break_endpoint(CoreRig& rig) {
  rig.queue_many(3);
  rig.finish_all(kBroken);
}

TEST(ExpiryTest, AHeldDeliveryIsDroppedAtItsLastSlot) {
  CoreRig rig;
  rig.command(EndpointAction::kPause);
  const DeliveryId id = rig.queue();
  rig.run_to(kLastSlot - kTick);
  EXPECT_EQ(rig.end_of(id), std::nullopt);
  rig.run_to(kLastSlot);
  EXPECT_EQ(rig.end_of(id), EndState::kDropped);
  EXPECT_EQ(rig.events(), Types{OperationalType::kDeliveryDropped});
  EXPECT_EQ(rig.core().unfinished().held, 0U);
}

TEST(ExpiryTest, ManyAreDroppedInBatches) {
  CoreRig rig;
  rig.command(EndpointAction::kPause);
  rig.queue_many(300);
  rig.run_to(kLastSlot);
  EXPECT_EQ(rig.core().unfinished().held, 0U);
  EXPECT_TRUE(rig.disk().empty());
}

TEST(ExpiryTest, AWaitingDeliveryIsTriedHoweverLate) {
  CoreRig rig;
  rig.step(SubscriptionChanged{
      .settings = {.id = {1},
                   .rate_limit = model::RateLimit{.count = 1, .period = Duration::hours(60)}}});
  rig.queue({.own_queue = true});
  const DeliveryId late = rig.queue({.own_queue = true});
  rig.finish_all(kOk);
  rig.run_to(Duration::hours(60) - kTick);
  EXPECT_EQ(rig.end_of(late), std::nullopt);
  rig.run_to(Duration::hours(60));
  EXPECT_EQ(rig.only_start().delivery.id, late);
}

TEST(ExpiryTest, WhatWasWaitingAtItsLastSlotIsDroppedWhenTheCircuitClosesLater) {
  CoreRig rig;
  rig.step(SubscriptionChanged{
      .settings = {.id = {1},
                   .rate_limit = model::RateLimit{.count = 1, .period = Duration::hours(60)}}});
  rig.queue({.own_queue = true});
  const DeliveryId late = rig.queue({.own_queue = true});
  rig.finish_all(kOk);
  rig.run_to(Duration::hours(50));
  ASSERT_EQ(rig.end_of(late), std::nullopt);
  rig.command(EndpointAction::kPause);
  rig.run_for(kTick);
  EXPECT_EQ(rig.end_of(late), EndState::kDropped);
}

TEST(ExpiryTest, LastSlotsThatPassedWhileNobodyRanAreGivenTenMinutes) {
  CoreRig rig(freezing());
  break_endpoint(rig);
  ASSERT_EQ(rig.endpoint().state, CircuitState::kFrozen);
  rig.release();
  rig.run_to(Duration::hours(100));
  rig.restart();
  rig.run_for(Duration::minutes(10) - kTick);
  EXPECT_EQ(rig.core().unfinished().held, 3U);
  rig.run_for(kTick);
  EXPECT_EQ(rig.core().unfinished().held, 0U);
  EXPECT_EQ(rig.end_of(DeliveryId::make(1, 0)), EndState::kDropped);
}

TEST(ExpiryTest, InTheseTenMinutesAProbeComesFirst) {
  CoreRig rig(touchy());
  break_endpoint(rig);
  rig.release();
  rig.run_to(Duration::hours(100));
  rig.restart();
  const StartAttempt probe = rig.only_start();
  EXPECT_TRUE(probe.is_probe);
  rig.finish(probe, kOk);
  while (rig.finish_all(kOk) > 0) {
  }
  rig.run_for(Duration::hours(1));
  for (uint64_t sequence = 1; sequence <= 3; ++sequence) {
    EXPECT_EQ(rig.end_of(DeliveryId::make(sequence, 0)), EndState::kDelivered);
  }
}

TEST(ShardTest, AFencedSectionForgetsTheShard) {
  CoreRig rig;
  rig.queue_many(2);
  const auto starts = rig.take_starts();
  rig.hold_commits();
  rig.finish(starts[0], kOk);
  rig.end_commit(SectionOutcome::kFenced);
  EXPECT_EQ(rig.core().endpoint(CoreRig::endpoint_id(1)), nullptr);
  ASSERT_EQ(rig.abandoned().size(), 1U);
  EXPECT_EQ(rig.abandoned()[0].token, starts[1].token);
  EXPECT_EQ(rig.core().footprint().attempts, 0U);
}

TEST(ShardTest, AnAnswerToAnAbandonedAttemptChangesNothing) {
  CoreRig rig;
  rig.queue();
  const StartAttempt start = rig.only_start();
  rig.release();
  rig.acquire();
  rig.take_starts();
  const size_t commits = rig.committed().size();
  rig.finish(start, kOk);
  EXPECT_EQ(rig.committed().size(), commits);
}

TEST(ShardTest, WhatWasInFlightIsTriedAgainByTheNextOwner) {
  CoreRig rig;
  const DeliveryId id = rig.queue();
  rig.take_starts();
  rig.release();
  EXPECT_EQ(rig.core().unfinished().in_flight, 0U);
  rig.acquire();
  const StartAttempt again = rig.only_start();
  EXPECT_EQ(again.delivery.id, id);
  EXPECT_EQ(again.number, 1U);
  rig.finish(again, kOk);
  EXPECT_EQ(rig.end_of(id), EndState::kDelivered);
}

TEST(ShardTest, DeliveriesForAShardThatIsNotOursAreFoundWhenItComes) {
  CoreRig rig;
  rig.release();
  const DeliveryId id = rig.queue();
  EXPECT_TRUE(rig.take_starts().empty());
  rig.acquire();
  EXPECT_EQ(rig.only_start().delivery.id, id);
}

TEST(ShardTest, ARestartChangesNothingAboutTheCircuit) {
  CoreRig rig(touchy());
  break_endpoint(rig);
  const model::EndpointRecord before = rig.endpoint();
  rig.run_to(Duration::minutes(9));
  rig.restart();
  EXPECT_EQ(rig.endpoint().state, CircuitState::kDisabled);
  EXPECT_EQ(rig.endpoint().consecutive_failures, before.consecutive_failures);
  EXPECT_EQ(rig.endpoint().probe_from, before.probe_from);
  rig.run_to(Duration::minutes(10) - kTick);
  EXPECT_TRUE(rig.take_starts().empty());
  rig.run_to(Duration::minutes(10));
  EXPECT_TRUE(rig.only_start().is_probe);
}

TEST(ShardTest, SuccessesThatNoCheckpointHasSeenAreCountedAgain) {
  CoreRig rig;
  rig.queue_many(5);
  rig.finish_all(kOk);
  rig.restart();
  EXPECT_EQ(rig.endpoint().successes, 5U);
  EXPECT_EQ(rig.endpoint().unfinished, 0U);
  EXPECT_TRUE(rig.take_starts().empty());
}

TEST(ShardTest, SuccessesThatACheckpointHasSeenAreNotCountedTwice) {
  CoreRig rig;
  rig.queue_many(5);
  rig.finish_all(kOk);
  rig.run_to(Duration::seconds(10));
  rig.restart();
  EXPECT_EQ(rig.endpoint().successes, 5U);
}

TEST(ShardTest, ARetryKeepsItsSlotOverARestart) {
  CoreRig rig;
  rig.queue();
  rig.finish(rig.only_start(), kBroken);
  rig.restart();
  rig.run_to(Duration::ms(84'799));
  EXPECT_TRUE(rig.take_starts().empty());
  rig.run_to(Duration::ms(84'800));
  EXPECT_EQ(rig.only_start().number, 2U);
}

TEST(ShardTest, CommandsForAShardThatIsNotOursAreRefused) {
  CoreRig rig;
  rig.release();
  rig.command(EndpointAction::kPause);
  EXPECT_EQ(rig.answer(), CommandResult::kNotOwner);
}

TEST(OperationalEventsTest, TransitionsArePublishedInTheSameSection) {
  CoreRig rig(touchy());
  break_endpoint(rig);
  const Commit& commit = rig.committed().back();
  ASSERT_EQ(commit.events.size(), 1U);
  EXPECT_EQ(commit.events[0].type, OperationalType::kEndpointDisabled);
  EXPECT_EQ(commit.events[0].endpoint, CoreRig::endpoint_id(1));
  ASSERT_EQ(commit.section.transitions.size(), 1U);
  EXPECT_EQ(commit.section.transitions[0].consecutive_failures, 3U);
  ASSERT_EQ(commit.section.endpoints.size(), 1U);
  EXPECT_EQ(commit.section.endpoints[0].state, CircuitState::kDisabled);
}

TEST(OperationalEventsTest, FreezingAndEnablingArePublished) {
  CoreRig rig(freezing());
  break_endpoint(rig);
  rig.command(EndpointAction::kEnable);
  EXPECT_EQ(rig.events(),
            (Types{OperationalType::kEndpointFrozen, OperationalType::kEndpointEnabled}));
}

TEST(OperationalEventsTest, PausingIsHistoryButNotPublished) {
  CoreRig rig;
  rig.command(EndpointAction::kPause);
  EXPECT_EQ(rig.committed().back().section.transitions.size(), 1U);
  EXPECT_EQ(rig.events(), Types{});
}

TEST(OperationalEventsTest, AtMostOnePairPerMinuteAndTheRestIsCounted) {
  CoreRig rig(touchy());
  break_endpoint(rig);
  rig.command(EndpointAction::kEnable);
  rig.run_to(Duration::minutes(1) - kTick);
  break_endpoint(rig);
  rig.command(EndpointAction::kEnable);
  EXPECT_EQ(rig.events(),
            (Types{OperationalType::kEndpointDisabled, OperationalType::kEndpointEnabled}));
  rig.run_to(Duration::minutes(1));
  break_endpoint(rig);
  EXPECT_EQ(rig.events().size(), 3U);
  EXPECT_EQ(rig.committed().back().events.front().withheld, 2U);
}

TEST(OperationalEventsTest, TheirOwnDeliveriesCauseNone) {
  Options options = touchy();
  options.retry.max_retries = 0;
  CoreRig rig(options);
  for (int i = 0; i < 3; ++i) {
    rig.queue({.operational = true});
  }
  rig.finish_all(kBroken);
  EXPECT_EQ(rig.endpoint().state, CircuitState::kDisabled);
  EXPECT_EQ(rig.end_of(DeliveryId::make(1, 0)), EndState::kDropped);
  EXPECT_EQ(rig.events(), Types{});
}

}  // namespace
}  // namespace core
