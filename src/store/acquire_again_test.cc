#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <thread>

#include "store/upkeep_rig.h"

namespace store {
namespace {

using testing::HasSubstr;

constexpr base::EndpointId kEndpoint = base::EndpointId::make(7, 1);
constexpr std::chrono::seconds kDeadline(60);

// Looks again and again, for as long as the answers to some ten thousand questions take.
bool comes_true(const std::function<bool()>& condition) {
  for (int tries = 0; tries < 10'000'000; ++tries) {
    if (condition()) {
      return true;
    }
    std::this_thread::yield();
  }
  return false;
}

Batch endpoint_section(uint64_t epoch) {
  model::Section section{.shard = kEndpoint.shard(), .epoch = epoch, .number = 1};
  model::EndpointRecord record;
  record.id = kEndpoint;
  record.tenant = {1};
  record.successes = 17;
  section.endpoints.push_back(record);
  Batch batch;
  batch.sections.push_back(std::move(section));
  return batch;
}

TEST(AcquireAgainTest, AnAcquireThatCannotBeReadIsAnsweredWhenItCan) {
  UpkeepRig rig;
  rig.commit(kRigStart, endpoint_section(1));
  {
    const std::unique_ptr<Database> database = rig.open_raw();
    ASSERT_TRUE(
        database->db()
            .Put({}, database->family(Family::kEndpoints), endpoint_key(kEndpoint), "nonsense")
            .ok());
  }
  auto engine = Engine::open({.directory = rig.directory(), .sync = false, .reserve_bytes = 1});
  ASSERT_TRUE(engine.has_value());
  std::promise<std::vector<model::ShardSnapshot>> answered;
  (*engine)->acquire({kEndpoint.shard()}, [&](std::vector<model::ShardSnapshot> snapshots) {
    answered.set_value(std::move(snapshots));
  });
  ASSERT_TRUE(comes_true([&] { return !(*engine)->health().is_available; }));
  EXPECT_THAT((*engine)->health().reason, HasSubstr("the store cannot be read"));

  // What was damaged is written anew.
  const auto mended = UpkeepRig::wait_for<BatchResult>(
      [&](auto done) { (*engine)->commit(kRigStart, endpoint_section(2), std::move(done)); });
  ASSERT_EQ(mended.sections.front().status, Status::kCommitted);
  auto answer = answered.get_future();
  ASSERT_EQ(answer.wait_for(kDeadline), std::future_status::ready);
  const std::vector<model::ShardSnapshot> snapshots = answer.get();
  EXPECT_EQ(snapshots.front().epoch, 2U);
  EXPECT_EQ(snapshots.front().endpoints.front().record.successes, 17U);
  EXPECT_TRUE(comes_true([&] { return (*engine)->health().is_available; }));
}

}  // namespace
}  // namespace store
