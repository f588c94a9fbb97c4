#include "server/descriptors.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "base/check.h"

namespace server {
namespace {

rlimit limit_now() {
  rlimit limit{};
  CHECK_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  return limit;
}

// What the system sets as the most is never raised: it could not be.
void set_limit(uint64_t now, uint64_t most) {
  const rlimit limit{.rlim_cur = now, .rlim_max = std::min<rlim_t>(most, limit_now().rlim_max)};
  CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

// As the kernel tells.
uint64_t table_size() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    uint64_t size = 0;
    if (word == "FDSize:" && status >> size) {
      return size;
    }
  }
  return 0;
}

TEST(Descriptors, TheLimitIsRaisedToWhatIsWantedAndTheTableMadeAsLarge) {
  set_limit(100, 1000);
  EXPECT_EQ(make_room_for_descriptors(500), 500U);
  EXPECT_EQ(limit_now().rlim_cur, 500U);
  EXPECT_GE(table_size(), 500U);
}

TEST(Descriptors, WhatTheSystemSetsAsTheMostIsNotExceededAndTold) {
  set_limit(100, 600);
  EXPECT_EQ(make_room_for_descriptors(700), 600U);
  EXPECT_EQ(limit_now().rlim_cur, 600U);
  EXPECT_GE(table_size(), 600U);
}

TEST(Descriptors, ALimitThatIsHighEnoughStaysAsItIs) {
  set_limit(550, 1000);
  EXPECT_EQ(make_room_for_descriptors(500), 500U);
  EXPECT_EQ(limit_now().rlim_cur, 550U);
}

}  // namespace
}  // namespace server
