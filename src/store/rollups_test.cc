#include "store/rollups.h"

#include <gtest/gtest.h>

#include <map>

#include "base/prng.h"

namespace store {
namespace {

using base::EndpointId;

EndpointId endpoint(uint64_t number) {
  return EndpointId::make(static_cast<base::ShardId>(number % 4), number);
}

WaitingCount success(uint64_t subscription, int64_t hour) {
  return {.subscription = {subscription},
          .hour = hour,
          .counts = {.attempts = 1, .delivered = 1, .duration_ms = 20}};
}

uint64_t attempts_of(const WaitingCounts& waiting) {
  uint64_t attempts = 0;
  for (const WaitingCount& count : waiting) {
    attempts += count.counts.attempts;
  }
  return attempts;
}

TEST(RollupLedgerTest, CountsOfOneSubscriptionAndHourAddUp) {
  RollupLedger ledger;
  ledger.add(endpoint(1), success(5, 100));
  ledger.add(endpoint(1), success(5, 100));
  const WaitingCounts waiting = ledger.read(endpoint(1));
  ASSERT_EQ(waiting.size(), 1U);
  EXPECT_EQ(waiting.front().counts, (Counts{.attempts = 2, .delivered = 2, .duration_ms = 40}));
}

TEST(RollupLedgerTest, SubscriptionsAndHoursAreKeptApart) {
  RollupLedger ledger;
  ledger.add(endpoint(1), success(5, 100));
  ledger.add(endpoint(1), success(6, 100));
  ledger.add(endpoint(1), success(5, 101));
  EXPECT_EQ(ledger.read(endpoint(1)).size(), 3U);
  EXPECT_TRUE(ledger.read(endpoint(2)).empty());
}

TEST(RollupLedgerTest, WhatIsTakenIsGone) {
  RollupLedger ledger;
  ledger.add(endpoint(1), success(5, 100));
  ledger.add(endpoint(1), success(6, 100));
  EXPECT_EQ(attempts_of(ledger.take(endpoint(1))), 2U);
  EXPECT_TRUE(ledger.take(endpoint(1)).empty());
}

TEST(RollupLedgerTest, ForgetsTheEndpointsOfOneShardOnly) {
  RollupLedger ledger;
  for (uint64_t number = 1; number <= 8; ++number) {
    ledger.add(endpoint(number), success(5, 100));
    ledger.add(endpoint(number), success(6, 100));
  }
  ledger.forget(1);
  for (uint64_t number = 1; number <= 8; ++number) {
    EXPECT_EQ(ledger.read(endpoint(number)).size(), number % 4 == 1 ? 0U : 2U);
  }
}

class RollupLedgerModelTest : public ::testing::TestWithParam<uint64_t> {};

INSTANTIATE_TEST_SUITE_P(Seeds, RollupLedgerModelTest, ::testing::Range<uint64_t>(1, 11));

TEST_P(RollupLedgerModelTest, BehavesLikeAMapOfSums) {
  base::Prng prng(GetParam());
  RollupLedger ledger;
  std::map<uint64_t, uint64_t> model;  // attempts by endpoint
  for (int i = 0; i < 5000; ++i) {
    const uint64_t number = 1 + prng.below(50);
    if (prng.chance(80)) {
      ledger.add(endpoint(number), success(1 + prng.below(3), static_cast<int64_t>(prng.below(3))));
      model[number] += 1;
    } else {
      ASSERT_EQ(attempts_of(ledger.take(endpoint(number))), model[number]);
      model[number] = 0;
    }
    const uint64_t asked = 1 + prng.below(50);
    ASSERT_EQ(attempts_of(ledger.read(endpoint(asked))), model[asked]);
  }
}

TEST(RecentCountsTest, WhatNobodyTookGoesToTheLedger) {
  RecentCounts recent;
  recent.add(endpoint(1), success(5, 100));
  recent.add(endpoint(2), success(5, 100));
  EXPECT_EQ(attempts_of(recent.take(endpoint(1))), 1U);
  recent.add(endpoint(1), success(5, 100));
  recent.add(endpoint(2), success(5, 100));
  RollupLedger ledger;
  recent.add_to(ledger);
  EXPECT_EQ(attempts_of(ledger.read(endpoint(1))), 1U);
  EXPECT_EQ(attempts_of(ledger.read(endpoint(2))), 2U);
}

}  // namespace
}  // namespace store
