// Silence, probes, promptness, commands, publishes.
#include <gtest/gtest.h>

#include "tests/sim/checks/story.h"

namespace checks {
namespace {

using model::CircuitState;
using model::TransitionReason;

// One failure disables.
Settings brittle() { return {.rate_percent = 100, .consecutive_to_disable = 1}; }

// Delivery 1 fails and disables endpoint 1 at once; it is due again after 84.8 s.
void disable(Story& story) {
  story.queue(1).start(1).end(1, 500);
  model::Section section = story.retried(1, 84'800);
  model::Transition made = story.transition(CircuitState::kActive, CircuitState::kDisabled,
                                            TransitionReason::kConsecutiveFailures);
  made.attempts = made.failures = made.consecutive_failures = 1;
  section.transitions.push_back(made);
  story.submit(section).commit();
}

TEST(SilenceTest, AStartWhilePausedIsReported) {
  Story story;
  story.queue(1).pause().start(1);
  EXPECT_EQ(story.broken(), "started-while-closed");
}

TEST(SilenceTest, APauseBindsBeforeItIsDurable) {
  Story story;
  story.queue(1).command(CommandKind::kPause);
  story.submit(story.changed(story.transition(CircuitState::kActive, CircuitState::kActive,
                                              TransitionReason::kPausedByHand)));
  story.start(1);
  EXPECT_EQ(story.broken(), "started-while-closed");
}

TEST(SilenceTest, APauseThatACrashTookBackBindsNoMore) {
  Story story;
  story.queue(1).command(CommandKind::kPause);
  story.submit(story.changed(story.transition(CircuitState::kActive, CircuitState::kActive,
                                              TransitionReason::kPausedByHand)));
  story.crash().tell(Restarted{}).start(1);
  EXPECT_EQ(story.broken(), "");
}

TEST(SilenceTest, AnOrdinaryStartWhileDisabledIsReported) {
  Story story(brittle());
  disable(story);
  story.queue(2).start(2);
  EXPECT_EQ(story.broken(), "started-while-closed");
}

TEST(SilenceTest, AProbeWhileActiveIsReported) {
  Story story;
  story.queue(1).start_probe(1);
  EXPECT_EQ(story.broken(), "started-while-closed");
}

TEST(SilenceTest, AStartBeforeRetryAfterIsReported) {
  Story story;
  story.queue(1).queue(2).start(1).end(1, status(503, base::Duration::seconds(100)));
  story.write_retry(1, 100'000).commit().at(99'999).start(2);
  EXPECT_EQ(story.broken(), "started-before-retry-after");
}

TEST(SilenceTest, AStartWhileDownIsReported) {
  Story story;
  story.queue(1).crash().start(1);
  EXPECT_EQ(story.broken(), "started-while-down");
}

TEST(SilenceTest, AStartOnALostShardIsReported) {
  Story story;
  story.queue(1).tell(ShardLost{.shard = 1}).start(1);
  EXPECT_EQ(story.broken(), "started-while-down");
}

TEST(SilenceTest, AStartAfterRemovalIsReported) {
  Story story;
  story.queue(1);
  story.tell(
      CommandAsked{.command = 99, .kind = CommandKind::kRemoveSubscription, .subscription = {1}});
  story.start(1);
  EXPECT_EQ(story.broken(), "started-after-removal");
}

TEST(SilenceTest, AStartAfterACancelWasConfirmedIsReported) {
  Story story;
  story.queue(1);
  story.tell(CommandAsked{.command = 99, .kind = CommandKind::kCancel, .delivery = {1}});
  story.tell(CommandAnswered{.command = 99, .answer = CommandAnswer::kDone}).start(1);
  EXPECT_EQ(story.broken(), "command-answer started-after-cancel");
}

TEST(ProbesTest, AProbeEachTenMinutes) {
  Story story(brittle());
  disable(story);
  story.at(600'000).start_probe(1).at(600'020).end(1, 500).write_retry(1, 1'272'000).commit();
  story.at(1'272'000).start_probe(1);
  EXPECT_EQ(story.broken(), "");
}

TEST(ProbesTest, AProbeTooEarlyIsReported) {
  Story story(brittle());
  disable(story);
  story.at(599'999).start_probe(1);
  EXPECT_EQ(story.broken(), "probe-too-early");
}

TEST(ProbesTest, ASecondProbeAtATimeIsReported) {
  Story story(brittle());
  disable(story);
  story.queue(2).at(600'000).start_probe(2).start_probe(1);
  EXPECT_EQ(story.broken(), "one-probe");
}

TEST(ProbesTest, AProbeThatIsNotTheEarliestIsReported) {
  Story story(brittle());
  disable(story);
  story.at(1).queue(2).at(2).queue(3).at(600'000).start_probe(3);
  EXPECT_EQ(story.broken(), "probe-choice");
}

TEST(ProbesTest, AForgottenProbeIsReported) {
  Story story(brittle());
  disable(story);
  story.at(605'000).tell(Counts{});
  EXPECT_EQ(story.broken(), "");
  story.at(605'001).tell(Counts{});
  EXPECT_EQ(story.broken(), "probe-late");
}

TEST(ProbesTest, ALateProbeIsExcusedByTheStore) {
  Story story(brittle());
  disable(story);
  story.at(600'000).tell(StoreTrouble{}).at(635'000).start_probe(1);
  EXPECT_EQ(story.broken(), "");
}

TEST(PromptnessTest, ALostWakeUpIsReportedWhenItHeals) {
  Story story;
  story.queue(1).fail(1, 84'800).at(89'801).start_retry(1);
  EXPECT_EQ(story.broken(), "late-start");
}

TEST(PromptnessTest, ALostWakeUpIsReportedWhileItLasts) {
  Story story;
  story.queue(1).at(5'001).tell(Counts{});
  EXPECT_EQ(story.broken(), "late-start");
}

TEST(PromptnessTest, ABusyEndpointIsExcused) {
  Story story;
  story.queue(1).queue(2, {.recorded = true}).start(1).at(5'000).end(1, 200);
  story.at(9'000).write_delivered(1).commit().at(14'000).start(2);
  EXPECT_EQ(story.broken(), "");
}

TEST(PromptnessTest, ACrashIsAnExcuse) {
  Story story;
  story.queue(1).crash().at(500'000).tell(Restarted{}).at(505'000).start(1);
  EXPECT_EQ(story.broken(), "");
}

TEST(CommandsTest, DoneWithoutADurableChangeIsReported) {
  Story story;
  story.command(CommandKind::kPause);
  story.submit(story.changed(story.transition(CircuitState::kActive, CircuitState::kActive,
                                              TransitionReason::kPausedByHand)));
  story.tell(CommandAnswered{.command = 1, .answer = CommandAnswer::kDone});
  EXPECT_EQ(story.broken(), "command-answer");
}

TEST(CommandsTest, UnchangedIsTrueOfAnActiveEndpoint) {
  Story story;
  story.command(CommandKind::kEnable);
  story.tell(CommandAnswered{.command = 1, .answer = CommandAnswer::kUnchanged});
  EXPECT_EQ(story.broken(), "");
}

TEST(CommandsTest, UnchangedIsALieOfADisabledEndpoint) {
  Story story(brittle());
  disable(story);
  story.command(CommandKind::kEnable);
  story.tell(CommandAnswered{.command = 1, .answer = CommandAnswer::kUnchanged});
  EXPECT_EQ(story.broken(), "command-answer");
}

TEST(PublishesTest, AnOperationalDeliveryPublishesNothing) {
  Story story(brittle());
  for (const bool is_operational : {false, true}) {
    const uint64_t id = is_operational ? 2 : 1;
    story.queue(id, {.endpoint = id, .operational = is_operational}).start(id).end(id, 200);
    model::Section section = story.ended(id, model::EndState::kDelivered);
    section.publishes.emplace_back();
    story.submit(section);
    EXPECT_EQ(story.broken(), is_operational ? "operational-echo" : "");
  }
}

}  // namespace
}  // namespace checks
