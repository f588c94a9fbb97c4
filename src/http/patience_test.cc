#include "http/patience.h"

#include <gtest/gtest.h>

namespace http {
namespace {

using base::Duration;
using base::Instant;

constexpr Instant kStart = Instant::from_ms(1'000'000);
constexpr PatienceOptions kOptions;

TEST(Patience, OfAHeadCountsFromItsFirstByteWhateverComesLater) {
  Patience patience;
  for (int second = 0; second < 10; ++second) {
    patience.wait_for(Wait::kHead, kStart + Duration::seconds(second));
    EXPECT_FALSE(patience.is_over(kStart + Duration::seconds(second), kOptions));
  }
  EXPECT_TRUE(patience.is_over(kStart + Duration::seconds(10), kOptions));
}

TEST(Patience, OfABodyGrowsWithWhatHasCome) {
  Patience patience;
  patience.wait_for(Wait::kBody, kStart);
  EXPECT_TRUE(patience.is_over(kStart + Duration::seconds(10), kOptions));
  patience.wait_for(Wait::kBody, kStart + Duration::seconds(9), uint64_t{8} * 1024 * 30);
  EXPECT_FALSE(patience.is_over(kStart + Duration::seconds(39), kOptions));
  EXPECT_TRUE(patience.is_over(kStart + Duration::seconds(40), kOptions));
}

TEST(Patience, OneByteASecondBuysNoTime) {
  Patience patience;
  int second = 0;
  for (; second < 60; ++second) {
    const Instant now = kStart + Duration::seconds(second);
    patience.wait_for(Wait::kBody, now, static_cast<uint64_t>(second));
    if (patience.is_over(now, kOptions)) {
      break;
    }
  }
  EXPECT_EQ(second, 11);
}

TEST(Patience, StartsAnewWithTheNextThingToWaitFor) {
  Patience patience;
  patience.wait_for(Wait::kHead, kStart);
  patience.wait_for(Wait::kBody, kStart + Duration::seconds(9));
  EXPECT_FALSE(patience.is_over(kStart + Duration::seconds(18), kOptions));
  patience.start_over();
  patience.wait_for(Wait::kBody, kStart + Duration::seconds(18));
  EXPECT_FALSE(patience.is_over(kStart + Duration::seconds(27), kOptions));
}

TEST(Patience, IsWithoutEndWhileItIsOurTurn) {
  const Patience patience;
  EXPECT_FALSE(patience.is_over(Instant::never(), kOptions));
}

}  // namespace
}  // namespace http
