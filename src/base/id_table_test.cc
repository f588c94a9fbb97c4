#include "base/id_table.h"

#include <gtest/gtest.h>

#include <map>

#include "base/prng.h"

namespace base {
namespace {

TEST(IdTableTest, AnUnknownIdHasNoIndex) {
  IdTable table;
  EXPECT_EQ(table.find(1), kNoIndex);
  table.insert(2, 0);
  EXPECT_EQ(table.find(1), kNoIndex);
  EXPECT_EQ(table.find(2), 0U);
}

TEST(IdTableTest, IdsThatDifferInTheTopBitsOnlyAreToldApart) {
  IdTable table;
  for (uint64_t shard = 0; shard < 256; ++shard) {
    table.insert((shard << 56U) | 1U, static_cast<uint32_t>(shard));
  }
  for (uint64_t shard = 0; shard < 256; ++shard) {
    EXPECT_EQ(table.find((shard << 56U) | 1U), shard);
  }
}

TEST(IdTableTest, MemoryStaysWithinAFewTimesItsContent) {
  IdTable table;
  for (uint64_t id = 1; id <= 1000; ++id) {
    table.insert(id, 0);
  }
  EXPECT_LE(table.bytes(), 1000U * 16U * 3U);
}

class IdTableModelTest : public ::testing::TestWithParam<uint64_t> {};

INSTANTIATE_TEST_SUITE_P(Seeds, IdTableModelTest, ::testing::Range<uint64_t>(1, 11));

TEST_P(IdTableModelTest, BehavesLikeAMapAlsoAfterErasing) {
  Prng prng(GetParam());
  IdTable table;
  std::map<uint64_t, uint32_t> model;
  for (uint32_t i = 0; i < 5000; ++i) {
    const uint64_t id = 1 + prng.below(200);
    if (!model.contains(id)) {
      table.insert(id, i);
      model[id] = i;
    } else if (prng.chance(70)) {
      table.erase(id);
      model.erase(id);
    }
    ASSERT_EQ(table.size(), model.size());
    const uint64_t asked = 1 + prng.below(200);
    ASSERT_EQ(table.find(asked), model.contains(asked) ? model[asked] : kNoIndex);
  }
}

TEST(IdTableDeathTest, AnIdIsInsertedOnce) {
  IdTable table;
  table.insert(1, 0);
  EXPECT_DEATH(table.insert(1, 0), "CHECK failed");
}

TEST(IdTableDeathTest, AnUnknownIdIsNotErased) {
  IdTable table;
  table.insert(1, 0);
  EXPECT_DEATH(table.erase(2), "CHECK failed");
}

TEST(IdTableDeathTest, ZeroIsNoId) { EXPECT_DEATH(IdTable().insert(0, 0), "id != 0"); }

}  // namespace
}  // namespace base
