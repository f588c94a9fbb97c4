#include "core/census.h"

#include <gtest/gtest.h>

namespace core {
namespace {

Endpoint endpoint_with(uint64_t unfinished, uint16_t in_flight) {
  Endpoint endpoint;
  endpoint.record.unfinished = unfinished;
  endpoint.in_flight = in_flight;
  return endpoint;
}

TEST(Census, SumsUpWhatEndpointsHave) {
  Census census;
  Endpoint first = endpoint_with(5, 2);
  Endpoint second = endpoint_with(7, 0);
  census.count(first);
  census.count(second);
  EXPECT_EQ(census.unfinished(), (Unfinished{.waiting = 10, .in_flight = 2}));
  EXPECT_EQ(census.circuits(), (CircuitCounts{.active = 2}));
}

TEST(Census, AnEndpointThatHasChangedCountsOnlyAsWhatItIsNow) {
  Census census;
  Endpoint endpoint = endpoint_with(5, 2);
  census.count(endpoint);
  endpoint.record.state = model::CircuitState::kDisabled;
  endpoint.record.unfinished = 9;
  endpoint.in_flight = 1;
  census.count(endpoint);
  EXPECT_EQ(census.unfinished(), (Unfinished{.held = 8, .in_flight = 1}));
  EXPECT_EQ(census.circuits(), (CircuitCounts{.disabled = 1}));
}

TEST(Census, APausedOneHoldsWhateverItsStateIs) {
  Census census;
  Endpoint endpoint = endpoint_with(3, 0);
  endpoint.record.paused = true;
  census.count(endpoint);
  EXPECT_EQ(census.unfinished(), (Unfinished{.held = 3}));
  EXPECT_EQ(census.circuits(), (CircuitCounts{.paused = 1}));
}

TEST(Census, WhatHasEndedAndIsNotDurableYetIsStillUnfinished) {
  Census census;
  Endpoint endpoint = endpoint_with(0, 1);
  endpoint.ending = 1;
  census.count(endpoint);
  EXPECT_EQ(census.unfinished(), (Unfinished{.in_flight = 1}));
}

TEST(Census, AForgottenOneLeavesNothingBehind) {
  Census census;
  Endpoint endpoint = endpoint_with(5, 2);
  census.count(endpoint);
  census.forget(endpoint);
  census.forget(endpoint);
  EXPECT_EQ(census.unfinished(), Unfinished{});
  EXPECT_EQ(census.circuits(), CircuitCounts{});
}

}  // namespace
}  // namespace core
