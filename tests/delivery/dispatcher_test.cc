#include "delivery/dispatcher.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/delivery/rig.h"

namespace delivery {
namespace {

using base::Duration;
using core::CommandResult;

const sim::Reply kBroken{.delay = Duration::ms(20),
                         .outcome = {.kind = model::OutcomeKind::kResponse, .status = 500},
                         .is_applied = false};

void publish_and_run(Rig& rig, uint64_t event) {
  rig.publish(event);
  rig.run_for(Duration::seconds(1));
}

TEST(DispatcherTest, SendsAndRecordsTheOutcome) {
  Rig rig;
  publish_and_run(rig, 1);
  EXPECT_EQ(rig.attempts().size(), 1U);
  EXPECT_EQ(rig.store().tables().tally().delivered, 1U);
  EXPECT_TRUE(rig.dispatcher().is_quiet());
}

TEST(DispatcherTest, WakesItselfForARetry) {
  Rig rig;
  rig.answer_with(kBroken);
  publish_and_run(rig, 1);
  rig.answer_with({.delay = Duration::ms(20),
                   .outcome = {.kind = model::OutcomeKind::kResponse, .status = 204}});
  rig.run_for(Duration::minutes(2));
  EXPECT_EQ(rig.attempts().size(), 2U);
  EXPECT_EQ(rig.store().tables().tally().delivered, 1U);
}

TEST(DispatcherTest, AnAttemptPastItsDeadlineIsATimeout) {
  Rig rig;
  rig.answer_with({.delay = Duration::seconds(5), .outcome = {.status = 200}});
  publish_and_run(rig, 1);
  EXPECT_EQ(rig.attempts().at(0).deadline, Duration::seconds(5));
  rig.run_for(Duration::seconds(5));
  EXPECT_EQ(rig.dispatcher().core().endpoint(kEndpoint)->failures, 1U);
}

TEST(DispatcherTest, OutcomesSurviveAStoreThatFailsForAWhile) {
  Rig rig;
  rig.publish(1);
  rig.run_for(Duration::ms(10));  // durable, and on its way
  ASSERT_EQ(rig.attempts().size(), 1U);
  rig.store().set_faults({.failed_per_mille = 1000});
  rig.run_for(Duration::minutes(1));
  EXPECT_EQ(rig.store().tables().tally().delivered, 0U);
  rig.store().set_faults({});
  rig.run_for(Duration::seconds(2));
  EXPECT_EQ(rig.store().tables().tally().delivered, 1U);
  EXPECT_EQ(rig.attempts().size(), 1U);
}

TEST(DispatcherTest, OutcomesOfUnclearTurnsTakeEffectOnce) {
  Rig rig;
  for (uint64_t event = 1; event <= 30; ++event) {
    rig.publish(event);
    rig.run_for(Duration::ms(10));  // durable, and on its way
    rig.store().set_faults({.unclear_per_mille = 700});
    rig.run_for(Duration::seconds(5));
    rig.store().set_faults({});
    rig.run_for(Duration::seconds(5));
  }
  EXPECT_EQ(rig.attempts().size(), 30U);
  EXPECT_EQ(rig.store().tables().tally().delivered, 30U);
  EXPECT_EQ(rig.dispatcher().core().endpoint(kEndpoint)->successes, 30U);
}

// The attempts in what has become durable.
size_t attempts_shown(const Rig& rig) {
  size_t count = 0;
  for (const model::Section& section : rig.durable()) {
    for (const model::DeliveryChange& change : section.deliveries) {
      count += change.attempt.has_value() ? 1 : 0;
    }
  }
  return count;
}

TEST(DispatcherTest, AnOutcomeIsShownWhenItIsDurableAndNotBefore) {
  Rig rig;
  rig.publish(1);
  rig.run_for(Duration::ms(10));  // durable, and on its way
  ASSERT_EQ(rig.attempts().size(), 1U);
  rig.store().set_faults({.failed_per_mille = 1000});
  rig.run_for(Duration::minutes(1));
  EXPECT_EQ(attempts_shown(rig), 0U);
  rig.store().set_faults({});
  rig.run_for(Duration::seconds(2));
  EXPECT_EQ(attempts_shown(rig), 1U);
}

TEST(DispatcherTest, AnOutcomeOfUnclearTurnsIsShownOnce) {
  Rig rig;
  for (uint64_t event = 1; event <= 30; ++event) {
    rig.publish(event);
    rig.run_for(Duration::ms(10));  // durable, and on its way
    rig.store().set_faults({.unclear_per_mille = 700});
    rig.run_for(Duration::seconds(5));
    rig.store().set_faults({});
    rig.run_for(Duration::seconds(5));
  }
  EXPECT_EQ(attempts_shown(rig), 30U);
}

TEST(DispatcherTest, WhatANewOwnerMadeVoidIsNotShown) {
  Rig rig;
  rig.publish(1);
  rig.run_for(Duration::ms(10));
  ASSERT_EQ(rig.attempts().size(), 1U);
  ASSERT_TRUE(rig.store().take_shard(kEndpoint.shard()));
  rig.run_for(Duration::minutes(1));
  EXPECT_EQ(attempts_shown(rig), 0U);
}

// Whoever shows transitions need not ask whose endpoint it is.
TEST(DispatcherTest, ATransitionIsShownWithTheRecordOfItsEndpoint) {
  Rig rig;
  rig.dispatcher().endpoint_command(kEndpoint, {1}, core::EndpointAction::kPause, [](auto) {});
  rig.run_for(Duration::seconds(1));
  const auto found = std::ranges::find_if(
      rig.durable(), [](const model::Section& section) { return !section.transitions.empty(); });
  ASSERT_NE(found, rig.durable().end());
  const model::Section& section = *found;
  ASSERT_EQ(section.transitions.size(), 1U);
  ASSERT_EQ(section.endpoints.size(), 1U);
  EXPECT_EQ(section.transitions[0].endpoint, kEndpoint);
  EXPECT_EQ(section.endpoints[0].id, kEndpoint);
  EXPECT_EQ(section.endpoints[0].tenant, base::TenantId{1});
}

TEST(DispatcherTest, LateAnswersOfTheStoreChangeNothing) {
  Rig rig;
  rig.store().set_faults({.commit_delay_min = Duration::seconds(3),
                          .commit_delay_max = Duration::seconds(3),
                          .read_delay_max = Duration::ms(1)});
  rig.publish(1);
  rig.run_for(Duration::ms(3'100));  // sent, and its outcome is being written
  ASSERT_EQ(rig.attempts().size(), 1U);
  rig.dispatcher().release(kEndpoint.shard());
  EXPECT_EQ(rig.dispatcher().core().endpoint(kEndpoint), nullptr);
  rig.dispatcher().acquire({kEndpoint.shard()}, [] {});
  rig.run_for(Duration::minutes(1));
  // The old section was fenced; the delivery was made again under the new epoch.
  EXPECT_EQ(rig.store().tables().tally().delivered, 1U);
  EXPECT_EQ(rig.attempts().size(), 2U);
  EXPECT_TRUE(rig.dispatcher().is_quiet());
}

TEST(DispatcherTest, AShardTakenBySomebodyElseIsForgotten) {
  Rig rig;
  rig.publish(1);
  rig.run_for(Duration::ms(10));
  ASSERT_TRUE(rig.store().take_shard(kEndpoint.shard()));
  rig.run_for(Duration::minutes(1));
  EXPECT_EQ(rig.store().tables().tally().delivered, 0U);
  EXPECT_EQ(rig.dispatcher().core().endpoint(kEndpoint), nullptr);
}

TEST(DispatcherTest, ACommandIsAnsweredWhenItsEffectIsDurable) {
  Rig rig;
  rig.store().set_faults(
      {.commit_delay_min = Duration::seconds(3), .commit_delay_max = Duration::seconds(3)});
  std::optional<CommandResult> answer;
  rig.dispatcher().endpoint_command(kEndpoint, {1}, core::EndpointAction::kPause,
                                    [&](CommandResult result) { answer = result; });
  rig.run_for(Duration::ms(2'999));
  EXPECT_EQ(answer, std::nullopt);
  rig.run_for(Duration::ms(1));
  EXPECT_EQ(answer, CommandResult::kDone);
}

TEST(DispatcherTest, AnAnswerMayBringTheNextCommand) {
  Rig rig;
  std::optional<CommandResult> answer;
  rig.dispatcher().endpoint_command(
      kEndpoint, {1}, core::EndpointAction::kPause, [&](CommandResult) {
        rig.dispatcher().endpoint_command(kEndpoint, {1}, core::EndpointAction::kPause,
                                          [&](CommandResult result) { answer = result; });
      });
  rig.run_for(Duration::seconds(1));
  EXPECT_EQ(answer, CommandResult::kUnchanged);
}

TEST(DispatcherTest, ACancelledDeliveryIsNotSent) {
  Rig rig;
  rig.dispatcher().endpoint_command(kEndpoint, {1}, core::EndpointAction::kPause, [](auto) {});
  publish_and_run(rig, 1);
  std::optional<CommandResult> answer;
  rig.dispatcher().cancel_delivery(rig.answer(1)->deliveries.at(0).id, kEndpoint,
                                   [&](CommandResult result) { answer = result; });
  rig.run_for(Duration::seconds(1));
  rig.dispatcher().endpoint_command(kEndpoint, {1}, core::EndpointAction::kResume, [](auto) {});
  rig.run_for(Duration::seconds(1));
  EXPECT_EQ(answer, CommandResult::kDone);
  EXPECT_TRUE(rig.attempts().empty());
  EXPECT_EQ(rig.store().tables().tally().cancelled, 1U);
}

TEST(DispatcherTest, DrainStartsNothingMore) {
  Rig rig;
  rig.dispatcher().drain();
  publish_and_run(rig, 1);
  rig.run_for(Duration::hours(1));
  EXPECT_TRUE(rig.answer(1).has_value());
  EXPECT_TRUE(rig.attempts().empty());
}

}  // namespace
}  // namespace delivery
