#include "base/prng.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace base {
namespace {

std::vector<uint64_t> draw(uint64_t seed) {
  Prng prng(seed);
  std::vector<uint64_t> numbers;
  numbers.reserve(100);
  for (int i = 0; i < 100; ++i) {
    numbers.push_back(prng.next());
  }
  return numbers;
}

TEST(PrngTest, TheSameSeedGivesTheSameNumbers) { EXPECT_EQ(draw(17), draw(17)); }

TEST(PrngTest, AnotherSeedGivesOtherNumbers) { EXPECT_NE(draw(17), draw(18)); }

TEST(PrngTest, TheSequenceIsTheSameOnEveryMachine) {
  // The published test vector of splitmix64 for seed 0.
  EXPECT_EQ(mix(0), 0xe220a8397b1dcdafULL);
  EXPECT_EQ(Prng(0).next(), 0xe220a8397b1dcdafULL);
}

TEST(PrngTest, BelowReachesEveryNumberAndNotTheBound) {
  Prng prng(1);
  std::set<uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    seen.insert(prng.below(7));
  }
  EXPECT_EQ(seen, (std::set<uint64_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(PrngTest, RangeReachesBothEnds) {
  Prng prng(2);
  std::set<int64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    seen.insert(prng.range(-2, 2));
  }
  EXPECT_EQ(seen, (std::set<int64_t>{-2, -1, 0, 1, 2}));
}

TEST(PrngTest, ARangeOfOneNumberIsThatNumber) { EXPECT_EQ(Prng(3).range(5, 5), 5); }

TEST(PrngTest, ChanceIsNeverAtZeroAndAlwaysAtHundred) {
  Prng prng(4);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(prng.chance(0));
    EXPECT_TRUE(prng.chance(100));
    EXPECT_FALSE(prng.chance_per_mille(0));
    EXPECT_TRUE(prng.chance_per_mille(1000));
  }
}

TEST(PrngTest, ChanceIsAboutAsOftenAsAsked) {
  Prng prng(5);
  int hits = 0;
  for (int i = 0; i < 10'000; ++i) {
    hits += prng.chance(30) ? 1 : 0;
  }
  EXPECT_GT(hits, 2700);
  EXPECT_LT(hits, 3300);
}

TEST(PrngDeathTest, BelowZeroIsRefused) { EXPECT_DEATH(Prng(1).below(0), "bound > 0"); }

TEST(PrngDeathTest, ARangeThatRunsBackwardsIsRefused) {
  EXPECT_DEATH(Prng(1).range(2, 1), "2 vs 1");
}

TEST(HashTest, BytesAndTheirOrderMatter) {
  EXPECT_NE(hash_bytes("ab"), hash_bytes("ba"));
  EXPECT_NE(hash_bytes(""), hash_bytes(std::string_view("\0", 1)));
  EXPECT_EQ(hash_bytes("https://example.org/a"), hash_bytes("https://example.org/a"));
}

TEST(HashTest, TheOrderOfAPairMatters) { EXPECT_NE(mix(1, 2), mix(2, 1)); }

}  // namespace
}  // namespace base
