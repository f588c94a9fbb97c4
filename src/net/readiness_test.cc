#include "net/readiness.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "net/connection.h"
#include "net/loop.h"

namespace net {
namespace {

constexpr base::Duration kPatience = base::Duration::seconds(10);

// One end is a connection of ours, the other a bare socket.
class Pair : public ConnectionUser {
 public:
  explicit Pair(Loop& loop)
      : connection_(std::make_unique<Connection>(
            loop, SocketAddress{.address = *Address::parse("127.0.0.1")}, open_count_)) {
    std::array<int, 2> ends{};
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
    CHECK(connection_->adopt(ends[0]));
    other_ = ends[1];
    connection_->set_user(this);
  }
  ~Pair() override { hang_up(); }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  void on_readable() override {
    readable += 1;
    if (then) {
      then();
    }
  }
  void on_writable() override { writable += 1; }

  Connection& connection() { return *connection_; }
  void drop() { connection_.reset(); }
  void say(const std::string& text) const {
    CHECK_EQ(::write(other_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void hang_up() {
    if (other_ >= 0) {
      ::close(other_);
      other_ = -1;
    }
  }
  // What is there, up to `most` bytes.
  IoResult read(size_t most) {
    std::string room(most, '\0');
    return connection_->read(room);
  }
  // Takes out of the kernel what the connection has written.
  void listen() const {
    std::array<char, 65'536> room{};
    while (::read(other_, room.data(), room.size()) > 0) {
    }
  }

  int readable = 0;
  int writable = 0;
  std::function<void()> then;

 private:
  std::atomic<size_t> open_count_ = 0;
  std::unique_ptr<Connection> connection_;
  int other_ = -1;
};

class ReadinessTest : public ::testing::Test {
 protected:
  bool run_until(const std::function<bool()>& condition) {
    return loop_.run_until(condition, kPatience);
  }
  // Whatever is ready has been told when what was posted twice has run.
  void settle() {
    for (int turn = 0; turn < 3; ++turn) {
      bool ran = false;
      loop_.post([&] { ran = true; });
      ASSERT_TRUE(run_until([&] { return ran; }));
    }
  }

  Loop loop_;
};

TEST_F(ReadinessTest, TellsOnceThatSomethingHasCome) {
  Pair pair(loop_);
  pair.connection().await_readable();
  settle();
  EXPECT_EQ(pair.readable, 0);
  pair.say("a");
  ASSERT_TRUE(run_until([&] { return pair.readable == 1; }));
  pair.say("b");
  settle();
  EXPECT_EQ(pair.readable, 1);
}

TEST_F(ReadinessTest, TellsOfWhatCameBeforeAnybodyWaitedButNeverInsideTheCall) {
  Pair pair(loop_);
  pair.say("a");
  settle();
  pair.connection().await_readable();
  EXPECT_EQ(pair.readable, 0);
  EXPECT_TRUE(run_until([&] { return pair.readable == 1; }));
}

TEST_F(ReadinessTest, TellsAgainOfWhatWasNotReadToItsEnd) {
  Pair pair(loop_);
  pair.say("abc");
  pair.connection().await_readable();
  ASSERT_TRUE(run_until([&] { return pair.readable == 1; }));
  EXPECT_EQ(pair.read(2).bytes, 2U);
  pair.connection().await_readable();
  EXPECT_TRUE(run_until([&] { return pair.readable == 2; }));
}

TEST_F(ReadinessTest, IsSilentWhenEverythingIsRead) {
  Pair pair(loop_);
  pair.say("abc");
  pair.connection().await_readable();
  ASSERT_TRUE(run_until([&] { return pair.readable == 1; }));
  EXPECT_EQ(pair.read(100).bytes, 3U);
  pair.connection().await_readable();
  settle();
  EXPECT_EQ(pair.readable, 1);
  pair.say("d");
  EXPECT_TRUE(run_until([&] { return pair.readable == 2; }));
}

TEST_F(ReadinessTest, AnEndThatCameWithTheLastBytesIsNotForgotten) {
  Pair pair(loop_);
  pair.say("abc");
  pair.hang_up();
  pair.connection().await_readable();
  ASSERT_TRUE(run_until([&] { return pair.readable == 1; }));
  EXPECT_EQ(pair.read(100).bytes, 3U);
  pair.connection().await_readable();
  ASSERT_TRUE(run_until([&] { return pair.readable == 2; }));
  EXPECT_EQ(pair.read(100).state, IoState::kEnd);
}

TEST_F(ReadinessTest, AnEndThatComesLaterIsTold) {
  Pair pair(loop_);
  pair.connection().await_readable();
  settle();
  pair.hang_up();
  ASSERT_TRUE(run_until([&] { return pair.readable == 1; }));
  EXPECT_EQ(pair.read(100).state, IoState::kEnd);
}

TEST_F(ReadinessTest, TellsWhenThereIsRoomToWriteAgain) {
  Pair pair(loop_);
  const std::string much(1 << 20, 'x');
  while (pair.connection().write(much).state == IoState::kDone) {
  }
  pair.connection().await_writable();
  settle();
  const int told_early = pair.writable;  // what the kernel said when it was registered
  while (pair.connection().write(much).state == IoState::kDone) {
  }
  pair.connection().await_writable();
  settle();
  EXPECT_EQ(pair.writable, told_early);
  pair.listen();
  EXPECT_TRUE(run_until([&] { return pair.writable == told_early + 1; }));
}

TEST_F(ReadinessTest, LookingShowsAtOnceWhatHasCome) {
  Pair pair(loop_);
  loop_.readiness().look();
  EXPECT_FALSE(pair.connection().may_have_news());
  pair.say("a");
  EXPECT_FALSE(pair.connection().may_have_news());
  loop_.readiness().look();
  EXPECT_TRUE(pair.connection().may_have_news());
  EXPECT_EQ(pair.read(100).bytes, 1U);
  EXPECT_FALSE(pair.connection().may_have_news());
  pair.hang_up();
  loop_.readiness().look();
  EXPECT_TRUE(pair.connection().may_have_news());
}

TEST_F(ReadinessTest, WhatWasSeenByLookingIsToldButNeverInsideTheCall) {
  Pair pair(loop_);
  pair.connection().await_readable();
  pair.say("a");
  loop_.readiness().look();
  EXPECT_EQ(pair.readable, 0);
  EXPECT_TRUE(run_until([&] { return pair.readable == 1; }));
  settle();
  EXPECT_EQ(pair.readable, 1);
}

TEST_F(ReadinessTest, LookingSeesAllOfMoreThanTheKernelTellsAtOnce) {
  std::vector<std::unique_ptr<Pair>> pairs;
  for (int count = 0; count < 600; ++count) {
    pairs.push_back(std::make_unique<Pair>(loop_));
    pairs.back()->say("a");
  }
  loop_.readiness().look();
  for (const std::unique_ptr<Pair>& pair : pairs) {
    EXPECT_TRUE(pair->connection().may_have_news());
  }
}

TEST_F(ReadinessTest, OneThatEndsAnotherWhichIsReadyAtTheSameTimeDoesNoHarm) {
  Pair first(loop_);
  Pair second(loop_);
  for (Pair* pair : {&first, &second}) {
    pair->connection().await_readable();
  }
  settle();
  first.then = [&] { second.drop(); };
  second.then = [&] { first.drop(); };
  first.say("a");
  second.say("b");
  EXPECT_TRUE(run_until([&] { return first.readable + second.readable == 1; }));
  settle();
  EXPECT_EQ(first.readable + second.readable, 1);
}

TEST_F(ReadinessTest, OneThatEndsItselfDoesNoHarm) {
  Pair pair(loop_);
  pair.then = [&] { pair.drop(); };
  pair.connection().await_readable();
  pair.connection().await_writable();
  pair.say("a");
  EXPECT_TRUE(run_until([&] { return pair.readable == 1; }));
  settle();
  EXPECT_EQ(pair.writable, 0);
}

}  // namespace
}  // namespace net
