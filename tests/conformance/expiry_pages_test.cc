// The expiry order: what a closed circuit gives up next, in the order of last slots.

#include <gtest/gtest.h>

#include "tests/conformance/describe.h"
#include "tests/conformance/store_suite.h"

namespace conformance {
namespace {

using base::Instant;
using model::Delivery;

class ExpiryPages : public StoreSuite {
 protected:
  static std::vector<int64_t> slots_of(const model::ExpiryPage& page) {
    std::vector<int64_t> slots;
    for (const Delivery& delivery : page.deliveries) {
      slots.push_back((delivery.last_slot - kStart).count_ms());
    }
    return slots;
  }
  using Slots = std::vector<int64_t>;
};

HOLD_EVERY_STORE_TO(ExpiryPages);

TEST_P(ExpiryPages, AreInTheOrderOfLastSlotsWhateverTheDueTimes) {
  publish_one({.queued = 1, .last_slot = 300});
  publish_one({.queued = 2, .last_slot = 100});
  publish_one({.queued = 3, .last_slot = 200});
  const model::ExpiryPage page = expired(9);
  EXPECT_EQ(slots_of(page), (Slots{100, 200, 300}));
  EXPECT_EQ(page.next, Instant::never());
}

TEST_P(ExpiryPages, IncludeTheirLimitInTime) {
  publish_one({.last_slot = 100});
  publish_one({.last_slot = 101});
  EXPECT_EQ(slots_of(expired(9, 99)), Slots());
  EXPECT_EQ(expired(9, 99).next, after(100));
  EXPECT_EQ(slots_of(expired(9, 100)), (Slots{100}));
  EXPECT_EQ(expired(9, 100).next, after(101));
  EXPECT_EQ(expired(9, 101).next, Instant::never());
}

TEST_P(ExpiryPages, IncludeNoMoreThanTheirLimitInNumber) {
  publish_one({.last_slot = 100});
  publish_one({.last_slot = 100});
  publish_one({.last_slot = 200});
  EXPECT_EQ(expired(1).deliveries.size(), 1U);
  EXPECT_EQ(expired(1).next, after(100));
  EXPECT_EQ(expired(2).next, after(200));
  EXPECT_EQ(expired(3).next, Instant::never());
}

TEST_P(ExpiryPages, ContinueFromTheirLastKey) {
  std::vector<base::DeliveryId> all;
  for (int64_t i = 0; i < 20; ++i) {
    all.push_back(publish_one({.queued = 20 - i, .last_slot = 100 + i / 3}).id);
  }
  std::vector<base::DeliveryId> seen;
  model::ExpiryKey from;
  for (bool is_complete = false; !is_complete;) {
    const model::ExpiryPage page = expired(6, 1'000, from);
    ASSERT_FALSE(page.deliveries.empty());
    for (const Delivery& delivery : page.deliveries) {
      seen.push_back(delivery.id);
    }
    const Delivery& last = page.deliveries.back();
    from = {.last_slot = last.last_slot, .delivery = {last.id.value + 1}};
    is_complete = page.next == Instant::never();
  }
  EXPECT_EQ(seen, all);
}

TEST_P(ExpiryPages, CoverAllEndpointsAndQueuesOfTheShardAndNoOther) {
  publish_one({.last_slot = 100});
  publish_one({.endpoint = base::EndpointId::make(kShard, 2), .last_slot = 200});
  publish_one({.subscription = 8, .queue = {8}, .last_slot = 300});
  publish_one({.endpoint = base::EndpointId::make(kShard + 1, 1), .last_slot = 50});
  publish_one({.endpoint = base::EndpointId::make(kShard - 1, 1), .last_slot = 60});
  const model::ExpiryPage page = expired(9);
  EXPECT_EQ(slots_of(page), (Slots{100, 200, 300}));
  EXPECT_EQ(page.next, Instant::never());
}

TEST_P(ExpiryPages, HoldTheDeliveriesAsTheyWait) {
  const Delivery delivery = publish_one({.queued = 10});
  write({failed(delivery, 500)});
  const model::ExpiryPage page = expired(9);
  ASSERT_EQ(page.deliveries.size(), 1U);
  EXPECT_EQ(describe(page.deliveries[0]), describe(retry_of(delivery, 500)));
}

TEST_P(ExpiryPages, HoldBlockedDeliveriesToo) {
  const Delivery first = publish_one({.object = 5, .last_slot = 900});
  const Delivery second = publish_one({.object = 5, .last_slot = 100});
  const model::ExpiryPage page = expired(9, 100);
  ASSERT_EQ(page.deliveries.size(), 1U);
  EXPECT_EQ(describe(page.deliveries[0]), describe(second));
  EXPECT_TRUE(page.deliveries[0].blocked);
  EXPECT_EQ(page.next, first.last_slot);
}

TEST_P(ExpiryPages, AReleasedDeliveryIsNoLongerBlockedThere) {
  const Delivery first = publish_one({.object = 5, .last_slot = 900});
  publish_one({.object = 5, .last_slot = 100});
  write({delivered(first)});
  const model::ExpiryPage page = expired(9);
  ASSERT_EQ(page.deliveries.size(), 1U);
  EXPECT_FALSE(page.deliveries[0].blocked);
}

TEST_P(ExpiryPages, WhatHasNoRecordIsInNoPage) {
  const Delivery delivery = publish_one(kInMemory);
  EXPECT_EQ(expired(9).next, Instant::never());
  EXPECT_TRUE(expired(9).deliveries.empty());
  write({spilled(delivery)});
  EXPECT_EQ(expired(9).deliveries.size(), 1U);
}

TEST_P(ExpiryPages, AnEndedDeliveryIsInNoPage) {
  const Delivery first = publish_one({.last_slot = 100});
  const Delivery second = publish_one({.last_slot = 200});
  write({ended(first, model::EndState::kDropped)});
  EXPECT_EQ(slots_of(expired(9)), (Slots{200}));
  write({delivered(second)});
  EXPECT_EQ(slots_of(expired(9)), Slots());
}

}  // namespace
}  // namespace conformance
