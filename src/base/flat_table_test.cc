#include "base/flat_table.h"

#include <gtest/gtest.h>

#include <map>

#include "base/prng.h"

namespace base {
namespace {

TEST(FlatTable, FindsNothingWhileItIsEmpty) {
  FlatTable<int> table;
  EXPECT_EQ(table.find(1), nullptr);
  EXPECT_FALSE(table.erase(1));
  EXPECT_EQ(table.size(), 0U);
}

TEST(FlatTable, NeverHasTheKeyZero) {
  FlatTable<int> table;
  table.at(5) = 1;
  EXPECT_EQ(table.find(0), nullptr);
  EXPECT_FALSE(table.erase(0));
  EXPECT_EQ(table.size(), 1U);
}

template <class Table>
void behaves_as_a_map(uint64_t between_keys) {
  Prng prng(7);
  Table table;
  std::map<uint64_t, uint64_t> reference;
  for (int step = 0; step < 200'000; ++step) {
    const uint64_t key = (1 + prng.below(500)) * between_keys;
    if (prng.chance(50)) {
      table.at(key) = reference[key] = prng.next();
    } else if (prng.chance(50)) {
      EXPECT_EQ(table.erase(key), reference.erase(key) == 1);
    } else {
      const auto node = reference.extract(key);
      EXPECT_EQ(table.take(key), node.empty() ? 0 : node.mapped());
    }
    const uint64_t asked = (1 + prng.below(500)) * between_keys;
    const uint64_t* found = table.find(asked);
    ASSERT_EQ(found != nullptr, reference.contains(asked));
    ASSERT_TRUE(found == nullptr || *found == reference[asked]);
    ASSERT_EQ(table.size(), reference.size());
  }
}

TEST(FlatTable, BehavesAsAMapThroughRandomChanges) { behaves_as_a_map<FlatTable<uint64_t>>(1); }

TEST(FlatTable, BehavesAsAMapWhenKeysAreSideBySideOrAllHaveOnePlace) {
  behaves_as_a_map<FlatTable<uint64_t, Placing::kByLowBits>>(1);
  behaves_as_a_map<FlatTable<uint64_t, Placing::kByLowBits>>(uint64_t{1} << 32U);
}

}  // namespace
}  // namespace base
