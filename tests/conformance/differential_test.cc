// The simulated server, with all its faults, on both stores at once: every answer must be equal.

#include <gtest/gtest.h>

#include "tests/conformance/lockstep_store.h"
#include "tests/conformance/rocks_harness.h"
#include "tests/sim/plan.h"
#include "tests/sim/world.h"

namespace conformance {
namespace {

class Differential : public ::testing::TestWithParam<uint64_t> {};

INSTANTIATE_TEST_SUITE_P(Seeds, Differential,
                         ::testing::Range<uint64_t>(1, POSTRIDER_LAST_SEED + 1));

TEST_P(Differential, RocksStoreAnswersAsSimStoreDoes) {
  const swarm::Plan plan = swarm::make_plan(GetParam());
  RocksHarness other(false);
  LockstepStore* both = nullptr;
  swarm::World world(
      plan, {.make_store = [&](sim::SimStore::Options options, sim::StoreHooks hooks) {
        auto made = std::make_unique<LockstepStore>(options, std::move(hooks), other);
        both = made.get();
        return made;
      }});
  const swarm::RunReport report = world.run();
  both->compare_everything();
  EXPECT_GT(both->comparisons(), report.attempts);

  // Nor does it change what happens.
  EXPECT_TRUE(report.violations.empty());
  EXPECT_EQ(report.trace_hash, swarm::World(plan, {}).run().trace_hash);

  const sim::Tally& ours = both->tables().tally();
  const store::Totals theirs = other.engine().standing().totals;
  EXPECT_EQ(theirs.created, ours.created);
  EXPECT_EQ(theirs.delivered, ours.delivered);
  EXPECT_EQ(theirs.dropped, ours.dropped);
  EXPECT_EQ(theirs.cancelled, ours.cancelled);
}

}  // namespace
}  // namespace conformance
