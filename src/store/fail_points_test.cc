#include "store/fail_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <string>

namespace store {
namespace {

void pass(int before, int after) {
  for (int i = 0; i < before; ++i) {
    FAIL_POINT("mark.before_write");
  }
  for (int i = 0; i < after; ++i) {
    FAIL_POINT("mark.after_write");
  }
}

// The order is read once per process, so each case is a process of its own, with an environment of
// its own.
[[noreturn]] void pass_with(std::string variable, int before, int after) {
  std::array<char*, 2> variables = {variable.data(), nullptr};
  ::environ = variables.data();
  pass(before, after);
  ::_exit(0);
}

[[noreturn]] void pass_with_order(const std::string& order, int before, int after) {
  pass_with("POSTRIDER_KILL_AT=" + order, before, after);
}

TEST(FailPointDeathTest, KillsAtTheCountInTheOrder) {
  EXPECT_EXIT(pass_with_order("mark.before_write:1", 1, 0), ::testing::KilledBySignal(SIGKILL), "");
  EXPECT_EXIT(pass_with_order("mark.before_write:3", 3, 0), ::testing::KilledBySignal(SIGKILL), "");
}

TEST(FailPointDeathTest, LivesBeforeTheCount) {
  EXPECT_EXIT(pass_with_order("mark.before_write:3", 2, 9), ::testing::ExitedWithCode(0), "");
}

TEST(FailPointDeathTest, LivesWithoutAnOrder) {
  EXPECT_EXIT(pass_with("SOMETHING=else", 9, 9), ::testing::ExitedWithCode(0), "");
}

TEST(FailPointDeathTest, RefusesAnOrderThatItDoesNotUnderstand) {
  for (const char* order : {"", "mark.before_write", "mark.before_write:", "mark.before_write:0",
                            "mark.before_write:x", "mark.before_write:1 ", "no.such_point:1"}) {
    EXPECT_EXIT(pass_with_order(order, 1, 1), ::testing::KilledBySignal(SIGABRT), "not the name")
        << order;
  }
}

}  // namespace
}  // namespace store
