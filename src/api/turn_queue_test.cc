#include "api/turn_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "net/loop.h"

namespace api {
namespace {

using ::testing::ElementsAre;

class TurnQueueTest : public ::testing::Test {
 protected:
  void add(const std::string& name) {
    queue_.add([this, name] {
      ran_.push_back(name);
      queue_.finished();
    });
  }
  // What others have posted, and post again, until the queue is through.
  void post_others() {
    loop_.post([this] {
      ran_.emplace_back("other");
      if (ran_.size() < 6) {
        post_others();
      }
    });
  }
  void run_until_there_are(size_t count) {
    ASSERT_TRUE(loop_.run_until([&] { return ran_.size() >= count; }, base::Duration::seconds(10)));
  }

  net::Loop loop_;
  TurnQueue queue_{loop_, 2};
  std::vector<std::string> ran_;
};

TEST_F(TurnQueueTest, NothingRunsInsideTheCallThatAddsIt) {
  add("a");
  EXPECT_TRUE(ran_.empty());
  run_until_there_are(1);
  EXPECT_THAT(ran_, ElementsAre("a"));
}

TEST_F(TurnQueueTest, OthersHaveTheirTurnBetweenTwoSlices) {
  add("a");
  add("b");
  add("c");
  post_others();
  run_until_there_are(6);
  EXPECT_THAT(ran_, ElementsAre("a", "other", "b", "other", "c", "other"));
}

TEST_F(TurnQueueTest, ASliceThatAddsAnotherGoesToTheEndOfTheLine) {
  queue_.add([this] {
    ran_.emplace_back("first");
    add("again");
    queue_.finished();
  });
  add("second");
  run_until_there_are(3);
  EXPECT_THAT(ran_, ElementsAre("first", "second", "again"));
}

TEST_F(TurnQueueTest, GoesOnAfterItWasEmpty) {
  add("a");
  run_until_there_are(1);
  add("b");
  run_until_there_are(2);
  EXPECT_THAT(ran_, ElementsAre("a", "b"));
}

TEST_F(TurnQueueTest, NoMoreBeginsThanMayBeUnderWay) {
  for (const char* name : {"a", "b", "c", "d"}) {
    queue_.add([this, name] { ran_.emplace_back(name); });
  }
  run_until_there_are(2);
  loop_.run_until([] { return false; }, base::Duration::ms(20));
  EXPECT_THAT(ran_, ElementsAre("a", "b"));
  queue_.finished();
  run_until_there_are(3);
  loop_.run_until([] { return false; }, base::Duration::ms(20));
  EXPECT_THAT(ran_, ElementsAre("a", "b", "c"));
  queue_.finished();
  run_until_there_are(4);
}

}  // namespace
}  // namespace api
