#include "base/ids.h"

#include <gtest/gtest.h>

namespace base {
namespace {

constexpr Sequence kSequenceMax = (uint64_t{1} << 48U) - 1;

TEST(DeliveryIdTest, KeepsItsSequence) {
  EXPECT_EQ(DeliveryId::make(123'456, 789).sequence(), 123'456U);
  EXPECT_EQ(DeliveryId::make(kSequenceMax, DeliveryId::kFanOutMax - 1).sequence(), kSequenceMax);
}

TEST(DeliveryIdTest, SortsBySequenceAndThenByPlaceInTheFanOut) {
  EXPECT_LT(DeliveryId::make(1, DeliveryId::kFanOutMax - 1), DeliveryId::make(2, 0));
  EXPECT_LT(DeliveryId::make(2, 0), DeliveryId::make(2, 1));
}

TEST(DeliveryIdTest, TheFirstOfAnEventIsSet) {
  EXPECT_TRUE(DeliveryId::make(1, 0).is_set());
  EXPECT_FALSE(DeliveryId{}.is_set());
}

TEST(DeliveryIdDeathTest, ASequenceBeyond48BitsDies) {
  EXPECT_DEATH(DeliveryId::make(kSequenceMax + 1, 0), "CHECK failed: sequence");
}

TEST(DeliveryIdDeathTest, AFanOutBeyondTheLimitDies) {
  EXPECT_DEATH(DeliveryId::make(1, DeliveryId::kFanOutMax), "65536 vs 65536");
}

TEST(EndpointIdTest, CarriesItsShardInTheTopByte) {
  EXPECT_EQ(EndpointId::make(0, 5).shard(), 0);
  EXPECT_EQ(EndpointId::make(255, 5).shard(), 255);
  EXPECT_EQ(EndpointId::make(1, 5).value, 0x0100'0000'0000'0005ULL);
}

TEST(EndpointIdTest, ALargeNumberDoesNotReachIntoTheShard) {
  EXPECT_EQ(EndpointId::make(7, UINT64_MAX).shard(), 7);
}

TEST(EndpointIdTest, IdsOfOneShardAreNeighbours) {
  EXPECT_LT(EndpointId::make(3, UINT64_MAX), EndpointId::make(4, 0));
}

TEST(IdTest, ZeroIsNotSet) {
  EXPECT_FALSE(SubscriptionId{}.is_set());
  EXPECT_TRUE(SubscriptionId{1}.is_set());
}

}  // namespace
}  // namespace base
