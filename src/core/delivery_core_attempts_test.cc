// Attempts, retries, and what must be durable before what.

#include <gtest/gtest.h>

#include "core/core_rig.h"

namespace core {
namespace {

using base::DeliveryId;
using base::Duration;
using model::EndState;
using model::Lane;
using Ids = std::vector<DeliveryId>;

TEST(DeliveryCoreTest, AFirstAttemptStartsWhenItIsQueued) {
  CoreRig rig;
  const DeliveryId id = rig.queue();
  const StartAttempt start = rig.only_start();
  EXPECT_EQ(start.delivery.id, id);
  EXPECT_EQ(start.number, 1U);
  EXPECT_EQ(start.lane, Lane::kFresh);
  EXPECT_FALSE(start.is_probe);
  EXPECT_EQ(start.deadline, Duration::seconds(5));
}

TEST(DeliveryCoreTest, ASuccessEndsTheDelivery) {
  CoreRig rig;
  const DeliveryId id = rig.queue();
  rig.finish(rig.only_start(), kOk);
  EXPECT_EQ(rig.end_of(id), EndState::kDelivered);
  EXPECT_EQ(rig.core().unfinished().waiting, 0U);
  EXPECT_EQ(rig.core().footprint().attempts, 0U);
}

TEST(DeliveryCoreTest, ASuccessAtFirstTryWritesItsOutcomeAndNothingElse) {
  CoreRig rig;
  rig.queue();
  const size_t before = rig.committed().size();
  rig.finish(rig.only_start(), kOk);
  ASSERT_EQ(rig.committed().size(), before + 1);
  const model::Section& section = rig.committed().back().section;
  EXPECT_EQ(section.deliveries.size(), 1U);
  EXPECT_TRUE(section.endpoints.empty());
}

TEST(DeliveryCoreTest, InFlightLastsUntilTheOutcomeIsDurable) {
  CoreRig rig;
  const DeliveryId id = rig.queue();
  const StartAttempt start = rig.only_start();
  const base::EndpointId endpoint = start.delivery.endpoint;
  EXPECT_TRUE(rig.core().is_in_flight(endpoint, id));
  EXPECT_FALSE(rig.core().is_in_flight(endpoint, {id.value + 1}));
  EXPECT_FALSE(rig.core().is_in_flight({endpoint.value + 1}, id));
  rig.hold_commits();
  rig.finish(start, kBroken);
  EXPECT_TRUE(rig.core().is_in_flight(endpoint, id));
  rig.answer_commits();
  EXPECT_FALSE(rig.core().is_in_flight(endpoint, id));
}

TEST(DeliveryCoreTest, ARetryStartsAtItsSlotToTheMillisecond) {
  CoreRig rig;
  const DeliveryId id = rig.queue();
  rig.finish(rig.only_start(), kBroken);
  rig.run_to(Duration::ms(84'799));
  EXPECT_TRUE(rig.take_starts().empty());
  rig.run_to(Duration::ms(84'800));
  const StartAttempt retry = rig.only_start();
  EXPECT_EQ(retry.delivery.id, id);
  EXPECT_EQ(retry.number, 2U);
  EXPECT_EQ(retry.lane, Lane::kRetry);
}

TEST(DeliveryCoreTest, TheNextAttemptWaitsUntilTheOutcomeIsDurable) {
  CoreRig rig;
  rig.queue();
  const StartAttempt first = rig.only_start();
  rig.hold_commits();
  rig.finish(first, kBroken);
  rig.run_to(Duration::minutes(10));
  EXPECT_TRUE(rig.take_starts().empty());
  EXPECT_EQ(rig.core().unfinished().in_flight, 1U);
  rig.answer_commits();
  EXPECT_EQ(rig.only_start().number, 2U);
}

TEST(DeliveryCoreTest, AfterTheLastSlotAFailureDropsTheDelivery) {
  Options options;
  options.retry.max_retries = 1;
  CoreRig rig(options);
  const DeliveryId id = rig.queue();
  rig.finish(rig.only_start(), kBroken);
  EXPECT_EQ(rig.end_of(id), std::nullopt);
  rig.run_to(Duration::ms(84'800));
  rig.finish(rig.only_start(), kBroken);
  EXPECT_EQ(rig.end_of(id), EndState::kDropped);
  EXPECT_EQ(rig.events(), (std::vector{model::OperationalType::kDeliveryDropped}));
}

TEST(DeliveryCoreTest, AnAnswerThatComesTwiceCountsOnce) {
  CoreRig rig;
  rig.queue();
  const StartAttempt start = rig.only_start();
  rig.finish(start, kBroken);
  rig.finish(start, kBroken);
  EXPECT_EQ(rig.endpoint().failures, 1U);
}

TEST(DeliveryCoreTest, ALateAnswerDoesNotEndTheAttemptThatTookItsPlace) {
  CoreRig rig;
  rig.queue();
  const StartAttempt first = rig.only_start();
  rig.finish(first, kOk);
  const DeliveryId second = rig.queue();
  rig.finish(first, kOk);
  EXPECT_EQ(rig.end_of(second), std::nullopt);
}

TEST(DeliveryCoreTest, AnOwnFailureIsNoAttemptAndIsMadeAgainAfterASecond) {
  CoreRig rig;
  const DeliveryId id = rig.queue();
  const size_t commits = rig.committed().size();
  rig.finish(rig.only_start(), kNoStart);
  EXPECT_EQ(rig.committed().size(), commits);
  EXPECT_EQ(rig.endpoint().attempts(), 0U);
  rig.run_to(Duration::ms(999));
  EXPECT_TRUE(rig.take_starts().empty());
  rig.run_to(Duration::ms(1000));
  const StartAttempt again = rig.only_start();
  EXPECT_EQ(again.delivery.id, id);
  EXPECT_EQ(again.number, 1U);
  EXPECT_EQ(again.lane, Lane::kFresh);
}

TEST(DeliveryCoreTest, AfterAnOwnFailureAPausedEndpointIsLeftAlone) {
  CoreRig rig;
  rig.queue();
  rig.finish(rig.only_start(), kNoStart);
  rig.command(EndpointAction::kPause);
  rig.run_to(Duration::hours(1));
  EXPECT_TRUE(rig.take_starts().empty());
  EXPECT_EQ(rig.core().unfinished().held, 1U);
}

TEST(DeliveryCoreTest, AfterAnOwnFailureARemovedSubscriptionGetsNothing) {
  CoreRig rig;
  const DeliveryId id = rig.queue();
  rig.finish(rig.only_start(), kNoStart);
  rig.step(SubscriptionRemoved{.subscription = {1}});
  rig.run_to(Duration::seconds(2));
  EXPECT_TRUE(rig.take_starts().empty());
  EXPECT_EQ(rig.end_of(id), EndState::kCancelled);
}

TEST(DeliveryCoreTest, AFailedCommitIsSubmittedAgainAfterASecond) {
  CoreRig rig;
  const DeliveryId id = rig.queue();
  rig.hold_commits();
  rig.finish(rig.only_start(), kOk);
  rig.end_commit(SectionOutcome::kNotCommitted);
  rig.run_to(Duration::ms(999));
  EXPECT_TRUE(rig.resubmits().empty());
  rig.run_to(Duration::ms(1000));
  ASSERT_EQ(rig.resubmits().size(), 1U);
  EXPECT_EQ(rig.resubmits().front().shard, 0);
  rig.answer_commits();
  EXPECT_EQ(rig.end_of(id), EndState::kDelivered);
}

TEST(DeliveryCoreTest, SeveralFailedCommitsOfAShardAreSubmittedAgainTogether) {
  CoreRig rig;
  rig.queue();
  rig.queue();
  const auto starts = rig.take_starts();
  rig.hold_commits();
  rig.finish(starts[0], kOk);
  rig.finish(starts[1], kOk);
  ASSERT_EQ(rig.commits_under_way(), 2U);
  rig.end_commit(SectionOutcome::kNotCommitted);
  rig.end_commit(SectionOutcome::kNotCommitted);
  rig.run_to(Duration::ms(1500));
  EXPECT_EQ(rig.resubmits().size(), 1U);
}

TEST(DeliveryCoreTest, SectionsAreNumberedWithoutGaps) {
  CoreRig rig;
  rig.queue_many(3);
  rig.finish_all(kBroken);
  ASSERT_GE(rig.committed().size(), 3U);
  for (size_t i = 0; i < rig.committed().size(); ++i) {
    EXPECT_EQ(rig.committed()[i].section.number, i + 1);
    EXPECT_EQ(rig.committed()[i].section.epoch, 1U);
  }
}

TEST(DeliveryCoreTest, ASubscriptionMayHaveADeadlineOfItsOwn) {
  CoreRig rig;
  rig.step(SubscriptionChanged{.settings = {.id = {1}, .deadline = Duration::seconds(9)}});
  rig.queue();
  EXPECT_EQ(rig.only_start().deadline, Duration::seconds(9));
}

TEST(DeliveryCoreTest, ASubscriptionMayHaveAScheduleOfItsOwn) {
  CoreRig rig;
  model::RetryPolicy policy{.delays = {Duration::seconds(3)}};
  rig.step(SubscriptionChanged{.settings = {.id = {1}, .retry = policy}});
  const DeliveryId id = rig.queue();
  rig.finish(rig.only_start(), kBroken);
  rig.run_to(Duration::ms(2'999));
  EXPECT_TRUE(rig.take_starts().empty());
  rig.run_to(Duration::seconds(3));
  rig.finish(rig.only_start(), kBroken);
  EXPECT_EQ(rig.end_of(id), EndState::kDropped);
}

TEST(DeliveryCoreTest, DrainStartsNothingMoreButFinishesWhatRuns) {
  CoreRig rig;
  const DeliveryId running = rig.queue();
  const StartAttempt start = rig.only_start();
  rig.step(Drain{});
  rig.queue();
  rig.finish(start, kOk);
  rig.run_to(Duration::hours(1));
  EXPECT_TRUE(rig.take_starts().empty());
  EXPECT_EQ(rig.end_of(running), EndState::kDelivered);
  EXPECT_EQ(rig.core().unfinished().waiting, 1U);
}

TEST(DeliveryCoreTest, DrainAlsoStopsWhatWasToStartAgain) {
  CoreRig rig;
  rig.queue();
  rig.finish(rig.only_start(), kNoStart);
  rig.step(Drain{});
  rig.run_to(Duration::seconds(30));
  EXPECT_TRUE(rig.take_starts().empty());
}

TEST(DeliveryCoreTest, AnIdleCoreHasNoDeadline) {
  CoreRig rig;
  rig.queue();
  rig.finish(rig.only_start(), kOk);
  rig.run_to(Duration::hours(1));
  EXPECT_EQ(rig.core().next_deadline(), std::nullopt);
  EXPECT_EQ(rig.core().footprint().endpoints_with_work, 0U);
}

TEST(DeliveryCoreTest, AtRestTheNextDeadlineIsAhead) {
  CoreRig rig;
  rig.queue_many(20);
  rig.finish_all(kBroken);
  rig.finish_all(kNoStart);
  for (int minute = 0; minute < 120; ++minute) {
    rig.run_to(Duration::minutes(minute));
    rig.finish_all(minute % 3 == 0 ? kNoStart : kBroken);
    rig.run_for(Duration());
    const auto next = rig.core().next_deadline();
    ASSERT_TRUE(next.has_value());
    ASSERT_GT(*next, rig.now());
  }
}

TEST(DeliveryCoreTest, ALateWakeStartsAMissedRetryOnce) {
  CoreRig rig;
  rig.queue();
  rig.finish(rig.only_start(), kBroken);
  rig.oversleep_to(Duration::hours(3));
  EXPECT_EQ(rig.take_starts().size(), 1U);
}

TEST(DeliveryCoreDeathTest, TimeDoesNotRunBackwards) {
  DeliveryCore core{Options{}};
  Effects effects;
  core.step(kRigStart, Wake{}, effects);
  EXPECT_DEATH(core.step(kRigStart - Duration::ms(1), Wake{}, effects), "CHECK failed");
}

TEST(CheckOptionsTest, RefusalsNameTheSetting) {
  const auto refusal = [](auto change) {
    Options options;
    change(options);
    const auto checked = check_options(options);
    return checked.has_value() ? "" : checked.error().detail;
  };
  const auto names = [](const std::string& text, const char* setting) {
    return text.find(setting) != std::string::npos;
  };
  EXPECT_EQ(refusal([](Options&) {}), "");
  EXPECT_TRUE(names(refusal([](Options& o) { o.circuit.window_hours = 25; }), "circuit.window"));
  EXPECT_TRUE(names(refusal([](Options& o) { o.circuit.window_hours = -1; }), "circuit.window"));
  EXPECT_TRUE(names(refusal([](Options& o) { o.circuit.rate_percent = 101; }), "rate_percent"));
  EXPECT_TRUE(names(refusal([](Options& o) { o.circuit.probe_interval = {}; }), "probe_interval"));
  EXPECT_TRUE(
      names(refusal([](Options& o) { o.circuit.consecutive_limit = 0; }), "consecutive_limit"));
  EXPECT_TRUE(names(refusal([](Options& o) { o.lanes.in_flight_max = 3; }), "in_flight_max"));
  EXPECT_TRUE(names(refusal([](Options& o) { o.lanes.endpoint_in_flight_max = 1; }),
                    "endpoint_in_flight_max"));
  EXPECT_TRUE(names(refusal([](Options& o) { o.lanes.window_max = 0; }), "window_max"));
  EXPECT_TRUE(names(refusal([](Options& o) { o.retry.jitter_percent = 101; }), "retry.jitter"));
}

}  // namespace
}  // namespace core
