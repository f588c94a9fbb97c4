#include "core/turns.h"

#include <gtest/gtest.h>

#include <map>

namespace core {
namespace {

using model::Lane;

class TurnsTest : public ::testing::Test {
 protected:
  uint32_t add_endpoint(uint64_t tenant) {
    const uint32_t index = endpoints_.allocate();
    endpoints_[index] = Endpoint{};
    endpoints_[index].tenant = turns_.join({tenant});
    return index;
  }

  uint32_t waiting(uint64_t tenant, TurnClass turn_class = TurnClass::kFreshHealthy) {
    const uint32_t index = add_endpoint(tenant);
    turns_.set(index, turn_class == TurnClass::kRetry ? Lane::kRetry : Lane::kFresh, turn_class);
    return index;
  }

  std::map<uint32_t, int> serve(int turns, TurnClass turn_class = TurnClass::kFreshHealthy) {
    std::map<uint32_t, int> served;
    for (int i = 0; i < turns; ++i) {
      served[turns_.take_turn(turn_class)] += 1;
    }
    return served;
  }

  // Starts attempts of the class until its budget is used up.
  uint32_t fill(TurnClass turn_class) {
    uint32_t started = 0;
    while (turns_.take_turn(turn_class) != kNoIndex) {
      turns_.started(turn_class);
      started += 1;
    }
    return started;
  }

  static constexpr uint32_t kBudget = 16;
  Slab<Endpoint> endpoints_;
  Turns turns_{endpoints_, kBudget};
};

TEST_F(TurnsTest, WithoutAnybodyWaitingThereIsNoTurn) {
  add_endpoint(1);
  EXPECT_EQ(turns_.take_turn(TurnClass::kFreshHealthy), kNoIndex);
}

TEST_F(TurnsTest, EndpointsOfATenantTakeTurns) {
  const uint32_t first = waiting(1);
  const uint32_t second = waiting(1);
  EXPECT_EQ(serve(10), (std::map<uint32_t, int>{{first, 5}, {second, 5}}));
}

TEST_F(TurnsTest, TenantsTakeTurnsHoweverManyEndpointsTheyHave) {
  const uint32_t small = waiting(1);
  for (int i = 0; i < 9; ++i) {
    waiting(2);
  }
  EXPECT_EQ(serve(20)[small], 10);
}

TEST_F(TurnsTest, WhoeverLeavesIsServedNoMoreAndTheOthersGoOn) {
  const uint32_t first = waiting(1);
  const uint32_t second = waiting(1);
  const uint32_t third = waiting(2);
  turns_.set(first, Lane::kFresh, TurnClass::kNone);
  EXPECT_EQ(serve(4), (std::map<uint32_t, int>{{second, 2}, {third, 2}}));
  turns_.set(second, Lane::kFresh, TurnClass::kNone);
  EXPECT_EQ(serve(4), (std::map<uint32_t, int>{{third, 4}}));
}

TEST_F(TurnsTest, ChangingTheClassMovesTheEndpoint) {
  const uint32_t endpoint = waiting(1);
  turns_.set(endpoint, Lane::kFresh, TurnClass::kFreshSuspect);
  EXPECT_EQ(turns_.take_turn(TurnClass::kFreshHealthy), kNoIndex);
  EXPECT_EQ(turns_.take_turn(TurnClass::kFreshSuspect), endpoint);
}

TEST_F(TurnsTest, AnEndpointMayWaitInBothLanes) {
  const uint32_t endpoint = waiting(1);
  turns_.set(endpoint, Lane::kRetry, TurnClass::kRetry);
  EXPECT_EQ(turns_.take_turn(TurnClass::kFreshHealthy), endpoint);
  EXPECT_EQ(turns_.take_turn(TurnClass::kRetry), endpoint);
}

TEST_F(TurnsTest, HealthyFirstAttemptsMayUseTheWholeBudget) {
  waiting(1);
  EXPECT_EQ(fill(TurnClass::kFreshHealthy), kBudget);
}

TEST_F(TurnsTest, TheRetryLaneGetsHalfOfTheBudget) {
  waiting(1, TurnClass::kRetry);
  EXPECT_EQ(fill(TurnClass::kRetry), kBudget / 2);
}

TEST_F(TurnsTest, SuspectEndpointsGetHalfOfTheRest) {
  waiting(1, TurnClass::kFreshSuspect);
  EXPECT_EQ(fill(TurnClass::kFreshSuspect), kBudget / 4);
}

TEST_F(TurnsTest, RetriesAndSuspectsLeaveAQuarterToTheHealthy) {
  waiting(1, TurnClass::kRetry);
  waiting(2, TurnClass::kFreshSuspect);
  waiting(3);
  fill(TurnClass::kRetry);
  fill(TurnClass::kFreshSuspect);
  EXPECT_EQ(fill(TurnClass::kFreshHealthy), kBudget / 4);
  EXPECT_EQ(turns_.in_flight(), kBudget);
}

TEST_F(TurnsTest, AFullBudgetStopsEveryClass) {
  waiting(1);
  waiting(1, TurnClass::kRetry);
  fill(TurnClass::kFreshHealthy);
  EXPECT_EQ(turns_.take_turn(TurnClass::kRetry), kNoIndex);
}

TEST_F(TurnsTest, AnEndedAttemptMakesRoomForOneMore) {
  waiting(1, TurnClass::kRetry);
  fill(TurnClass::kRetry);
  turns_.ended(TurnClass::kRetry);
  EXPECT_EQ(fill(TurnClass::kRetry), 1U);
}

TEST_F(TurnsTest, EvenTheSmallestBudgetHasRoomForEachClass) {
  Turns tiny(endpoints_, 4);
  const uint32_t endpoint = endpoints_.allocate();
  endpoints_[endpoint] = Endpoint{};
  endpoints_[endpoint].tenant = tiny.join({1});
  tiny.set(endpoint, Lane::kFresh, TurnClass::kFreshSuspect);
  tiny.set(endpoint, Lane::kRetry, TurnClass::kRetry);
  EXPECT_EQ(tiny.take_turn(TurnClass::kFreshSuspect), endpoint);
  EXPECT_EQ(tiny.take_turn(TurnClass::kRetry), endpoint);
}

TEST_F(TurnsTest, ATenantWithoutEndpointsIsForgottenAndMayComeBack) {
  const uint32_t endpoint = add_endpoint(7);
  turns_.leave(endpoints_[endpoint].tenant);
  const uint32_t again = waiting(7);
  EXPECT_EQ(turns_.take_turn(TurnClass::kFreshHealthy), again);
}

TEST_F(TurnsTest, ABudgetIsNotGivenBackTwice) {
  EXPECT_DEATH(turns_.ended(TurnClass::kRetry), "0 vs 0");
}

}  // namespace
}  // namespace core
