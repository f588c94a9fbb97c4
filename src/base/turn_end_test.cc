#include "base/turn_end.h"

#include <gtest/gtest.h>

#include <deque>
#include <optional>

namespace base {
namespace {

// Runs what is posted when the test says so.
class PostingScheduler : public Scheduler {
 public:
  Instant now() const override { return {}; }
  void post(Task task) override { tasks_.push_back(std::move(task)); }
  TimerId call_at(Instant, Task) override { return TimerId::kNone; }
  void cancel(TimerId) override {}

  void run() {
    while (!tasks_.empty()) {
      const Task task = std::move(tasks_.front());
      tasks_.pop_front();
      task();
    }
  }

 private:
  std::deque<Task> tasks_;
};

class TurnEndTest : public testing::Test {
 protected:
  PostingScheduler scheduler_;
  int runs_ = 0;
  std::optional<TurnEnd> end_{std::in_place, scheduler_, [this] { runs_ += 1; }};
};

TEST_F(TurnEndTest, RunsOnceHoweverOftenItIsAsked) {
  end_->ask();
  end_->ask();
  EXPECT_EQ(runs_, 0) << "it ran inside the call";
  EXPECT_TRUE(end_->is_asked());
  scheduler_.run();
  EXPECT_EQ(runs_, 1);
  EXPECT_FALSE(end_->is_asked());
}

TEST_F(TurnEndTest, ComesAfterWhatWasPostedBefore) {
  int runs_seen = -1;
  scheduler_.post([&] { runs_seen = runs_; });
  end_->ask();
  scheduler_.run();
  EXPECT_EQ(runs_seen, 0);
  EXPECT_EQ(runs_, 1);
}

TEST_F(TurnEndTest, CanBeAskedAgainInEachTurn) {
  end_->ask();
  scheduler_.run();
  end_->ask();
  scheduler_.run();
  EXPECT_EQ(runs_, 2);
}

TEST_F(TurnEndTest, DoesNotRunAfterItIsGone) {
  end_->ask();
  end_.reset();
  scheduler_.run();
  EXPECT_EQ(runs_, 0);
}

TEST(TurnEnd, MayBeAskedByItsOwnTask) {
  PostingScheduler scheduler;
  int left = 3;
  TurnEnd* again = nullptr;
  TurnEnd end(scheduler, [&] {
    left -= 1;
    if (left > 0) {
      again->ask();
    }
  });
  again = &end;
  end.ask();
  scheduler.run();
  EXPECT_EQ(left, 0);
}

TEST(TurnEnd, MayBeDestroyedByItsOwnTask) {
  PostingScheduler scheduler;
  std::optional<TurnEnd> end;
  bool has_run = false;
  end.emplace(scheduler, [&] {
    end.reset();
    has_run = true;
  });
  end->ask();
  scheduler.run();
  EXPECT_TRUE(has_run);
}

}  // namespace
}  // namespace base
