#include "net/connection_pool.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <string_view>

#include "base/check.h"
#include "net/loop.h"

namespace net {
namespace {

constexpr PoolKey kKey{.owner = 1};

class ConnectionPoolTest : public ::testing::Test {
 protected:
  ConnectionPoolTest() {
    std::array<int, 2> ends{};
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
    receiver_ = ends[1];
    auto connection = std::make_unique<Connection>(
        loop_, SocketAddress{.address = *Address::parse("127.0.0.1")}, open_count_);
    CHECK(connection->adopt(ends[0]));
    pool_.give(kKey, std::move(connection));
    loop_.readiness().look();  // A new connection may be written to: that is no news.
  }
  ~ConnectionPoolTest() override { hang_up(); }

  void say(std::string_view text) const {
    CHECK_EQ(::write(receiver_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void hang_up() {
    if (receiver_ >= 0) {
      ::close(receiver_);
      receiver_ = -1;
    }
  }
  std::unique_ptr<Connection> take() {
    loop_.readiness().look();
    return pool_.take(kKey, nullptr);
  }

  Loop loop_;
  std::atomic<size_t> open_count_ = 0;
  ConnectionPool pool_{loop_, {}};
  int receiver_ = -1;
};

TEST_F(ConnectionPoolTest, AQuietConnectionIsUsedAgain) {
  EXPECT_NE(take(), nullptr);
  EXPECT_EQ(pool_.idle_count(), 0U);
}

TEST_F(ConnectionPoolTest, AConnectionIsNotUsedUnderAnotherKey) {
  loop_.readiness().look();
  EXPECT_EQ(pool_.take({.owner = 2}, nullptr), nullptr);
  EXPECT_EQ(pool_.idle_count(), 1U);
}

// The loop has had no turn since, so nobody but the one who takes it could notice.
TEST_F(ConnectionPoolTest, WhatCameOutOfTurnIsNotTakenForTheNextAnswer) {
  say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(take(), nullptr);
  EXPECT_EQ(open_count_, 0U) << "it is still open";
}

TEST_F(ConnectionPoolTest, AConnectionThatHasJustEndedIsNotUsedAgain) {
  hang_up();
  EXPECT_EQ(take(), nullptr);
  EXPECT_EQ(open_count_, 0U) << "it is still open";
}

}  // namespace
}  // namespace net
