// The swarm itself: a seed is a run, and a broken run is noticed.

#include <gtest/gtest.h>

#include <set>

#include "tests/sim/plan.h"
#include "tests/sim/world.h"

namespace swarm {
namespace {

RunReport run_seed(uint64_t seed) {
  const Plan plan = make_plan(seed);
  return World(plan, {}).run();
}

TEST(SwarmTest, TheSameSeedIsTheSameRun) {
  const RunReport first = run_seed(3);
  const RunReport second = run_seed(3);
  EXPECT_EQ(first.trace_hash, second.trace_hash);
  EXPECT_EQ(first.attempts, second.attempts);
  EXPECT_GT(first.attempts, 0U);
}

TEST(SwarmTest, DifferentSeedsAreDifferentRuns) {
  std::set<uint64_t> hashes;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    hashes.insert(run_seed(seed).trace_hash);
  }
  EXPECT_EQ(hashes.size(), 4U);
}

TEST(SwarmTest, AFewSeedsBreakNoRule) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const RunReport report = run_seed(seed);
    EXPECT_TRUE(report.violations.empty())
        << "seed " << seed << ": " << report.violations.front().rule;
    EXPECT_GT(report.deliveries, 0U);
  }
}

TEST(SwarmTest, ASwallowedAttemptIsNoticed) {
  // Without crashes, whose recovery would make up for it.
  Plan plan = make_plan(4);
  plan.actions.clear();
  EXPECT_TRUE(World(plan, {}).run().violations.empty());
  EXPECT_FALSE(World(plan, {.is_canary = true}).run().violations.empty());
}

}  // namespace
}  // namespace swarm
