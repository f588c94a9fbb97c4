#include "store/room.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <thread>
#include <vector>

namespace store {
namespace {

using ::testing::ElementsAre;

constexpr std::chrono::milliseconds kPoll{1};
constexpr std::chrono::seconds kDeadline{20};

bool never() { return false; }

TEST(Room, ReturnsAtOnceWhenTheAttemptSucceeds) {
  Room room(std::chrono::hours(1));
  EXPECT_TRUE(room.wait_until([] { return true; }));
}

TEST(Room, TriesAgainUntilTheAttemptSucceeds) {
  Room room(kPoll);
  int tries = 0;
  EXPECT_TRUE(room.wait_until([&] { return ++tries == 5; }));
  EXPECT_EQ(tries, 5);
}

TEST(Room, SaysThatItWaitsOnlyWhileItDoes) {
  Room room(kPoll);
  EXPECT_FALSE(room.waiting_for().has_value());
  room.wait_until([&] {
    EXPECT_TRUE(room.waiting_for().has_value());
    return true;
  });
  EXPECT_FALSE(room.waiting_for().has_value());
  EXPECT_EQ(room.waits(), 1U);
}

TEST(Room, StopEndsAWaitWithoutWaitingForThePoll) {
  Room room(std::chrono::hours(1));
  std::promise<void> tried;
  std::atomic<int> tries = 0;
  std::future<bool> found = std::async(std::launch::async, [&] {
    return room.wait_until([&] {
      if (++tries == 1) {
        tried.set_value();
      }
      return false;
    });
  });
  ASSERT_EQ(tried.get_future().wait_for(kDeadline), std::future_status::ready);
  room.stop();
  ASSERT_EQ(found.wait_for(kDeadline), std::future_status::ready);
  EXPECT_FALSE(found.get());
}

TEST(Room, NothingWaitsOnceStopped) {
  Room room(std::chrono::hours(1));
  room.stop();
  EXPECT_FALSE(room.wait_until(&never));
}

TEST(Room, TellsItsObserverOfTheFirstAndTheLastOfSeveral) {
  std::vector<bool> told;
  Room room(kPoll, [&](bool is_waiting) { told.push_back(is_waiting); });
  std::atomic<int> inside = 0;
  const auto all_inside = [&, counted = false]() mutable {
    inside += counted ? 0 : 1;
    counted = true;
    return inside == 3;
  };
  std::array<std::thread, 3> threads;
  for (std::thread& thread : threads) {
    thread = std::thread([&room, all_inside] { EXPECT_TRUE(room.wait_until(all_inside)); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_THAT(told, ElementsAre(true, false));
  EXPECT_EQ(room.waits(), 3U);
}

}  // namespace
}  // namespace store
