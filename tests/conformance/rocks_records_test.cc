// What the embedded store keeps and the seam does not show.

#include <gtest/gtest.h>

#include <future>
#include <vector>

#include "store/database.h"
#include "store/keys.h"
#include "tests/conformance/rocks_harness.h"
#include "tests/conformance/samples.h"

namespace conformance {
namespace {

size_t count_history(const RocksHarness& harness) {
  const auto database = store::Database::open({.directory = harness.directory() / "db"});
  EXPECT_TRUE(database.has_value());
  size_t records = 0;
  for (store::Scan scan(**database, store::Family::kHistory, {}, {}); scan.is_valid();
       scan.next()) {
    records += 1;
  }
  return records;
}

TEST(RocksRecords, TransitionsOfOneMillisecondAreAllKept) {
  RocksHarness harness;
  bool is_owned = false;
  harness.store().acquire({kShard}, [&](const auto&) { is_owned = true; });
  ASSERT_TRUE(harness.run_until([&] { return is_owned; }));
  store::Batch batch;
  for (uint64_t number = 1; number <= 3; ++number) {
    model::Section& section = batch.sections.emplace_back();
    section = {.shard = kShard, .epoch = 1, .number = number};
    section.transitions.push_back({.endpoint = kEndpoint, .at = after(5)});
    section.transitions.push_back({.endpoint = kEndpoint, .at = after(5)});
  }
  bool is_committed = false;
  harness.store().commit(kStart, batch, [&](const store::BatchResult& result) {
    EXPECT_EQ(result.sections.at(2).status, store::Status::kCommitted);
    is_committed = true;
  });
  ASSERT_TRUE(harness.run_until([&] { return is_committed; }));
  harness.close();
  EXPECT_EQ(count_history(harness), 6U);
}

store::Batch batch_of_event(uint64_t id) {
  store::Batch batch;
  batch.publishes.push_back(event_with(id, {{}}));
  return batch;
}

// However far ahead of its callers the store may be.
TEST(RocksTotals, ACommitCountsFromTheMomentInWhichItsCallerHearsOfIt) {
  RocksHarness harness;
  store::RocksStore& store = harness.rocks();
  std::vector<uint64_t> created;
  for (uint64_t id = 1; id <= 3; ++id) {
    store.commit(kStart, batch_of_event(id),
                 [&](const store::BatchResult&) { created.push_back(store.told().created); });
  }
  std::promise<void> is_stored;
  harness.engine().commit(kStart, batch_of_event(4),
                          [&](const store::BatchResult&) { is_stored.set_value(); });
  is_stored.get_future().wait();
  EXPECT_EQ(harness.engine().standing().totals.created, 4U);
  EXPECT_EQ(store.told().created, 0U);
  ASSERT_TRUE(harness.run_until([&] { return created.size() == 3; }));
  EXPECT_EQ(created, (std::vector<uint64_t>{1, 2, 3}));
}

TEST(RocksTotals, WhoAcquiresShardsIsToldOfAllThatWasCommittedBefore) {
  RocksHarness harness;
  store::RocksStore& store = harness.rocks();
  harness.engine().commit(kStart, batch_of_event(1), [](const store::BatchResult&) {});
  bool is_owned = false;
  store.acquire({kShard}, [&](const auto&) { is_owned = true; });
  ASSERT_TRUE(harness.run_until([&] { return is_owned; }));
  EXPECT_EQ(store.told().created, 1U);
}

}  // namespace
}  // namespace conformance
