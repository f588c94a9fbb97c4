// What a circuit lets out: probes, the ramp after a release, freezing, pausing, Retry-After.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "core/core_rig.h"

namespace core {
namespace {

using base::DeliveryId;
using base::Duration;
using base::Instant;
using model::CircuitState;
using model::EndState;
using model::Lane;
using Ids = std::vector<DeliveryId>;

constexpr Duration kTick = Duration::ms(1);

// Disabled by three failures in a row.
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

// Three deliveries that fail: their retries are due at 84.8 s.
void break_endpoint(CoreRig& rig) {
  rig.queue_many(3);
  rig.finish_all(kBroken);
}

model::Outcome asks_for(Duration patience, uint16_t status = 503) {
  return {.kind = model::OutcomeKind::kResponse, .status = status, .retry_after = patience};
}

TEST(ProbeTest, IsSentTenMinutesAfterDisablingToTheMillisecond) {
  CoreRig rig(touchy());
  rig.run_to(Duration::ms(7));
  break_endpoint(rig);
  ASSERT_EQ(rig.endpoint().state, CircuitState::kDisabled);
  rig.run_to(Duration::minutes(10) + Duration::ms(6));
  EXPECT_TRUE(rig.take_starts().empty());
  rig.run_to(Duration::minutes(10) + Duration::ms(7));
  const StartAttempt probe = rig.only_start();
  EXPECT_TRUE(probe.is_probe);
  EXPECT_EQ(probe.lane, Lane::kRetry);
  EXPECT_EQ(probe.delivery.id, DeliveryId::make(1, 0));
}

TEST(ProbeTest, OnlyOneIsInFlight) {
  CoreRig rig(touchy());
  break_endpoint(rig);
  rig.run_to(Duration::minutes(10));
  const StartAttempt probe = rig.only_start();
  rig.queue();
  rig.run_to(Duration::minutes(55));
  EXPECT_TRUE(rig.take_starts().empty());
  rig.finish(probe, kBroken);
  EXPECT_TRUE(rig.take_starts().empty());
}

TEST(ProbeTest, TheNextComesTenMinutesAfterAFailedOne) {
  CoreRig rig(touchy());
  break_endpoint(rig);
  rig.run_to(Duration::minutes(10));
  const StartAttempt probe = rig.only_start();
  rig.run_to(Duration::minutes(10) + Duration::seconds(5));
  rig.finish(probe, kBroken);
  rig.run_to(Duration::minutes(20) + Duration::ms(4'999));
  EXPECT_TRUE(rig.take_starts().empty());
  rig.run_to(Duration::minutes(20) + Duration::seconds(5));
  const StartAttempt next = rig.only_start();
  EXPECT_TRUE(next.is_probe);
  EXPECT_EQ(next.delivery.id, DeliveryId::make(2, 0));  // the first one used its slot
}

TEST(ProbeTest, IsTheEarliestDueWhateverItsAge) {
  CoreRig rig(touchy());
  break_endpoint(rig);
  rig.run_to(Duration::seconds(10));
  const DeliveryId due_at_once = rig.queue();  // before the retries, which are due at 84.8 s
  rig.run_to(Duration::minutes(10));
  EXPECT_EQ(rig.only_start().delivery.id, due_at_once);
}

TEST(ProbeTest, IfNothingIsDueTheNextThatArrivesIsTheProbe) {
  Options options = touchy();
  options.retry.delays = {Duration::hours(5)};
  CoreRig rig(options);
  break_endpoint(rig);
  rig.run_to(Duration::hours(1));
  EXPECT_TRUE(rig.take_starts().empty());
  const DeliveryId arrived = rig.queue();
  const StartAttempt probe = rig.only_start();
  EXPECT_TRUE(probe.is_probe);
  EXPECT_EQ(probe.delivery.id, arrived);
}

TEST(ProbeTest, IfNothingIsDueTheNextThatFallsDueIsTheProbe) {
  Options options = touchy();
  options.retry.delays = {Duration::hours(5), Duration::hours(10)};
  CoreRig rig(options);
  break_endpoint(rig);
  rig.run_to(Duration::hours(5) - kTick);
  EXPECT_TRUE(rig.take_starts().empty());
  rig.run_to(Duration::hours(5));
  EXPECT_TRUE(rig.only_start().is_probe);
}

TEST(ProbeTest, AnAttemptFromBeforeThatSucceedsLaterReleasesNothing) {
  CoreRig rig(touchy());
  rig.queue_many(4);
  const auto starts = rig.take_starts();
  for (size_t i = 0; i < 3; ++i) {
    rig.finish(starts[i], kBroken);
  }
  ASSERT_EQ(rig.endpoint().state, CircuitState::kDisabled);
  rig.finish(starts[3], kOk);
  EXPECT_EQ(rig.endpoint().state, CircuitState::kDisabled);
  EXPECT_EQ(rig.endpoint().successes, 1U);
  EXPECT_EQ(rig.endpoint().consecutive_failures, 0U);
}

TEST(ReleaseTest, ASuccessfulProbeMakesTheEndpointActive) {
  CoreRig rig(touchy());
  break_endpoint(rig);
  rig.run_to(Duration::minutes(10));
  rig.finish(rig.only_start(), kOk);
  EXPECT_EQ(rig.endpoint().state, CircuitState::kActive);
  EXPECT_EQ(rig.endpoint().released_at, rig.now());
}

class RampedReleaseTest : public ::testing::Test {
 protected:
  // Thirty held deliveries, and the circuit has just let go.
  RampedReleaseTest() : rig_(touchy()) {
    break_endpoint(rig_);
    rig_.queue_many(30);
    rig_.run_to(Duration::minutes(10));
    rig_.finish(rig_.only_start(), kOk);
  }

  uint64_t in_flight() const { return rig_.core().unfinished().in_flight; }
  void finish_one(const model::Outcome& outcome) {
    for (const StartAttempt& start : rig_.take_starts()) {
      running_.push_back(start);
    }
    const StartAttempt first = running_.front();
    running_.erase(running_.begin());
    rig_.finish(first, outcome);
  }

  CoreRig rig_;
  std::vector<StartAttempt> running_;
};

TEST_F(RampedReleaseTest, HeldDeliveriesDrainByOneTwoFourUpToHalfTheCap) {
  std::vector<uint64_t> seen = {in_flight()};
  for (int i = 0; i < 7; ++i) {
    finish_one(kOk);
    seen.push_back(in_flight());
  }
  EXPECT_EQ(seen, (std::vector<uint64_t>{1, 2, 2, 4, 4, 4, 4, 5}));
}

TEST_F(RampedReleaseTest, AFailureHalvesTheRamp) {
  for (int i = 0; i < 3; ++i) {
    finish_one(kOk);
  }
  ASSERT_EQ(in_flight(), 4U);
  finish_one(kBroken);
  EXPECT_EQ(in_flight(), 3U);
  finish_one(kOk);
  EXPECT_EQ(in_flight(), 2U);
  finish_one(kOk);  // a whole round of two again
  EXPECT_EQ(in_flight(), 4U);
}

TEST_F(RampedReleaseTest, DrainsInTheRetryLaneEarliestDueFirst) {
  Ids drained;
  for (int i = 0; i < 5; ++i) {
    for (const StartAttempt& start : rig_.take_starts()) {
      EXPECT_EQ(start.lane, Lane::kRetry);
      EXPECT_FALSE(start.is_probe);
      running_.push_back(start);
      drained.push_back(start.delivery.id);
    }
    finish_one(kOk);
  }
  EXPECT_TRUE(std::is_sorted(drained.begin(), drained.end()));
  EXPECT_EQ(drained.front(), DeliveryId::make(5, 0));  // 4 was the probe
}

TEST_F(RampedReleaseTest, NewEventsAreNotBehindThem) {
  rig_.take_starts();
  const DeliveryId fresh = rig_.queue();
  const StartAttempt start = rig_.only_start();
  EXPECT_EQ(start.delivery.id, fresh);
  EXPECT_EQ(start.lane, Lane::kFresh);
}

TEST_F(RampedReleaseTest, ARestartBeginsTheRampAtOne) {
  for (int i = 0; i < 3; ++i) {
    finish_one(kOk);
  }
  ASSERT_EQ(in_flight(), 4U);
  rig_.restart();
  EXPECT_EQ(in_flight(), 1U);
}

TEST_F(RampedReleaseTest, EverythingDrainsInTheEnd) {
  while (rig_.finish_all(kOk) > 0) {
  }
  EXPECT_EQ(rig_.core().unfinished().waiting, 0U);
  EXPECT_TRUE(rig_.disk().empty());
}

// Paused for less than an attempt that could not start waits, and just resumed.
void interrupt(CoreRig& rig) {
  rig.command(EndpointAction::kPause);
  rig.run_for(Duration::ms(500));
  rig.command(EndpointAction::kResume);
}

// Found by the swarm: the answer to a publish was lost, and came when the circuit had been enabled.
TEST(LateFirstAttemptTest, OneQueuedBeforeTheReleaseAndReportedAfterItDrains) {
  CoreRig rig;
  interrupt(rig);
  rig.run_for(kTick);
  rig.queue({.late_by = Duration::ms(2)});
  EXPECT_EQ(rig.only_start().lane, Lane::kRetry);
}

TEST(LateFirstAttemptTest, OneQueuedAtTheReleaseAndReportedAfterItIsFresh) {
  CoreRig rig;
  interrupt(rig);
  rig.run_for(kTick);
  rig.queue({.late_by = kTick});
  EXPECT_EQ(rig.only_start().lane, Lane::kFresh);
}

TEST(LateFirstAttemptTest, ManyReportedAfterTheReleaseDrainByTheRamp) {
  CoreRig rig;
  interrupt(rig);
  rig.queue({.late_by = kTick});
  rig.queue({.late_by = kTick});
  const StartAttempt first = rig.only_start();
  EXPECT_EQ(first.delivery.id, DeliveryId::make(1, 0));
  rig.finish(first, kOk);
  EXPECT_EQ(rig.only_start().lane, Lane::kRetry);
}

TEST(LateFirstAttemptTest, OneThatCouldNotStartBeforeTheReleaseDrains) {
  CoreRig rig;
  rig.queue();
  rig.finish(rig.only_start(), kNoStart);
  rig.run_for(kTick);
  interrupt(rig);
  rig.run_for(Duration::seconds(1));
  EXPECT_EQ(rig.only_start().lane, Lane::kRetry);
}

TEST(LateFirstAttemptTest, OneFromBeforeTheReleaseDrainsAfterARestart) {
  CoreRig rig;
  rig.queue();
  rig.run_for(kTick);
  interrupt(rig);
  rig.restart();
  EXPECT_EQ(rig.only_start().lane, Lane::kRetry);
}

TEST(FrozenTest, SendsNothingUntilItIsEnabled) {
  CoreRig rig(freezing());
  break_endpoint(rig);
  ASSERT_EQ(rig.endpoint().state, CircuitState::kFrozen);
  rig.queue();
  rig.run_to(Duration::hours(40));
  EXPECT_TRUE(rig.take_starts().empty());
  EXPECT_EQ(rig.core().unfinished().held, 4U);
  rig.command(EndpointAction::kEnable);
  EXPECT_EQ(rig.answer(), CommandResult::kDone);
  EXPECT_EQ(rig.endpoint().state, CircuitState::kActive);
  EXPECT_EQ(rig.take_starts().size(), 1U);
}

TEST(EnableCommandTest, AnActiveEndpointIsUnchanged) {
  CoreRig rig(touchy());
  rig.queue();
  rig.finish(rig.only_start(), kBroken);
  const size_t commits = rig.committed().size();
  rig.command(EndpointAction::kEnable);
  EXPECT_EQ(rig.answer(), CommandResult::kUnchanged);
  EXPECT_EQ(rig.endpoint().consecutive_failures, 1U);
  EXPECT_EQ(rig.committed().size(), commits);
}

TEST(EnableCommandTest, IsAnsweredWhenItIsDurable) {
  CoreRig rig(freezing());
  break_endpoint(rig);
  rig.hold_commits();
  rig.command(EndpointAction::kEnable);
  EXPECT_EQ(rig.answer(), std::nullopt);
  rig.answer_commits();
  EXPECT_EQ(rig.answer(), CommandResult::kDone);
}

TEST(PausedTest, SendsNothingUntilItIsResumed) {
  CoreRig rig(touchy());
  rig.command(EndpointAction::kPause);
  EXPECT_EQ(rig.answer(), CommandResult::kDone);
  rig.queue_many(2);
  rig.run_to(Duration::hours(1));
  EXPECT_TRUE(rig.take_starts().empty());
  EXPECT_EQ(rig.core().unfinished().held, 2U);
  rig.command(EndpointAction::kResume);
  EXPECT_EQ(rig.take_starts().size(), 1U);  // by the ramp
}

TEST(PausedTest, ADisabledEndpointSendsNoProbe) {
  CoreRig rig(touchy());
  break_endpoint(rig);
  rig.command(EndpointAction::kPause);
  rig.run_to(Duration::hours(1));
  EXPECT_TRUE(rig.take_starts().empty());
  rig.command(EndpointAction::kResume);
  EXPECT_EQ(rig.endpoint().state, CircuitState::kDisabled);
  EXPECT_TRUE(rig.only_start().is_probe);
}

TEST(PausedTest, EnableDoesNotResume) {
  CoreRig rig(freezing());
  break_endpoint(rig);
  rig.command(EndpointAction::kPause);
  rig.command(EndpointAction::kEnable);
  rig.run_to(Duration::hours(1));
  EXPECT_TRUE(rig.take_starts().empty());
}

TEST(PausedTest, PausingTwiceChangesNothing) {
  CoreRig rig;
  rig.command(EndpointAction::kPause);
  rig.command(EndpointAction::kPause);
  EXPECT_EQ(rig.answer(), CommandResult::kUnchanged);
}

TEST(RetryAfterTest, HoldsBackEverythingOfTheEndpoint) {
  CoreRig rig;
  const DeliveryId first = rig.queue();
  rig.finish(rig.only_start(), asks_for(Duration::minutes(30)));
  const DeliveryId second = rig.queue();
  rig.run_to(Duration::minutes(30) - kTick);
  EXPECT_TRUE(rig.take_starts().empty());
  EXPECT_EQ(rig.core().unfinished().waiting, 2U);
  EXPECT_EQ(rig.core().unfinished().held, 0U);
  rig.run_to(Duration::minutes(30));
  EXPECT_EQ(rig.started(), (Ids{second, first}));
}

TEST(RetryAfterTest, IsInTheRecordThatIsCommittedWithTheOutcome) {
  CoreRig rig;
  rig.queue();
  rig.finish(rig.only_start(), asks_for(Duration::minutes(30)));
  const model::Section& section = rig.committed().back().section;
  ASSERT_EQ(section.endpoints.size(), 1U);
  EXPECT_EQ(section.endpoints[0].not_before, rig.now() + Duration::minutes(30));
}

TEST(RetryAfterTest, SurvivesARestart) {
  CoreRig rig;
  rig.queue();
  rig.finish(rig.only_start(), asks_for(Duration::minutes(30)));
  rig.restart();
  rig.queue();
  rig.run_to(Duration::minutes(30) - kTick);
  EXPECT_TRUE(rig.take_starts().empty());
  rig.run_to(Duration::minutes(30));
  EXPECT_EQ(rig.take_starts().size(), 2U);
}

TEST(RetryAfterTest, IsCutToItsMaximum) {
  CoreRig rig;
  rig.queue();
  rig.finish(rig.only_start(), asks_for(Duration::hours(9)));
  EXPECT_EQ(rig.endpoint().not_before, rig.now() + Duration::hours(1));
}

TEST(RetryAfterTest, CountsWith429And503Only) {
  for (const uint16_t status : std::array<uint16_t, 2>{429, 503}) {
    CoreRig rig;
    rig.queue();
    rig.finish(rig.only_start(), asks_for(Duration::minutes(1), status));
    EXPECT_TRUE(rig.endpoint().not_before.is_set()) << status;
  }
  for (const uint16_t status : std::array<uint16_t, 5>{200, 301, 500, 502, 504}) {
    CoreRig rig;
    rig.queue();
    rig.finish(rig.only_start(), asks_for(Duration::minutes(1), status));
    EXPECT_FALSE(rig.endpoint().not_before.is_set()) << status;
  }
}

TEST(RetryAfterTest, ShorterThanTheSlotTheSlotCounts) {
  CoreRig rig;
  rig.queue();
  rig.finish(rig.only_start(), asks_for(Duration::seconds(10)));
  rig.run_to(Duration::ms(84'799));
  EXPECT_TRUE(rig.take_starts().empty());
  rig.run_to(Duration::ms(84'800));
  EXPECT_EQ(rig.take_starts().size(), 1U);
}

TEST(RetryAfterTest, AProbeWaitsForIt) {
  CoreRig rig(touchy());
  rig.queue_many(3);
  rig.finish_all(asks_for(Duration::minutes(25)));
  ASSERT_EQ(rig.endpoint().state, CircuitState::kDisabled);
  rig.run_to(Duration::minutes(25) - kTick);
  EXPECT_TRUE(rig.take_starts().empty());
  rig.run_to(Duration::minutes(25));
  EXPECT_TRUE(rig.only_start().is_probe);
}

TEST(RetryAfterTest, EnableClearsIt) {
  CoreRig rig(touchy());
  rig.queue_many(3);
  rig.finish_all(asks_for(Duration::minutes(25)));
  rig.command(EndpointAction::kEnable);
  rig.queue();
  EXPECT_EQ(rig.take_starts().size(), 1U);
}

TEST(FiguresTest, EndpointsAreCountedByTheirCircuit) {
  CoreRig rig(touchy());
  break_endpoint(rig);
  rig.queue({.endpoint = 2});
  rig.queue({.endpoint = 3});
  rig.command(EndpointAction::kPause, 3);
  const CircuitCounts counts = rig.core().circuits();
  EXPECT_EQ(counts.disabled, 1U);
  EXPECT_EQ(counts.active, 1U);
  EXPECT_EQ(counts.paused, 1U);
  EXPECT_EQ(counts.frozen, 0U);
}

TEST(FiguresTest, TheEarliestThatWaitsIsKnownAndWhatIsHeldDoesNotWait) {
  CoreRig rig(touchy());
  EXPECT_FALSE(rig.core().earliest_waiting().has_value());
  rig.queue();
  rig.finish_all(kBroken);
  EXPECT_EQ(rig.core().earliest_waiting(), kRigStart + Duration::ms(84'800));
  rig.command(EndpointAction::kPause);
  EXPECT_FALSE(rig.core().earliest_waiting().has_value());
}

}  // namespace
}  // namespace core
