// Clients that are slow, many, or both. Time limits are shortened; nobody sleeps.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/http/server_rig.h"

namespace http {
namespace {

using base::Duration;
using testing::HasSubstr;

constexpr std::string_view kGet = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr Duration kShort = Duration::ms(40);
constexpr Duration kLong = Duration::hours(1);

class HostileClients : public ServerRig {
 protected:
  HostileClients() {
    // Each test shortens the one limit that it is about.
    options_.patience = {.idle_max = kLong,
                         .head_max = kLong,
                         .body = {.grace = kLong, .bytes_per_second_min = 1'000'000},
                         .answer = {.grace = kLong, .bytes_per_second_min = 1'000'000},
                         .linger_max = kLong};
  }

  // Sends one byte after the other, as long as the server takes them.
  bool drip(RawClient& client, const std::function<bool()>& until) {
    return wait_until([&] {
      client.send("x");
      client.receive();
      return until();
    });
  }

  std::vector<std::unique_ptr<RawClient>> connect_many(size_t count) {
    std::vector<std::unique_ptr<RawClient>> clients;
    for (size_t number = 0; number < count; ++number) {
      clients.push_back(std::make_unique<RawClient>(server().port()));
      clients.back()->send(kGet);
      EXPECT_TRUE(wait_for_answers(*clients.back(), 1));
    }
    return clients;
  }
};

TEST_F(HostileClients, AFloodOfNewOnesDoesNotHoldUpOneThatIsThere) {
  constexpr size_t kFlood = 100;
  RawClient healthy(server().port());
  healthy.send(kGet);
  ASSERT_TRUE(wait_for_answers(healthy, 1));
  std::vector<std::unique_ptr<RawClient>> flood;
  for (size_t number = 0; number < kFlood; ++number) {
    flood.push_back(std::make_unique<RawClient>(server().port()));
  }
  healthy.send(kGet);
  ASSERT_TRUE(wait_for_answers(healthy, 2));
  EXPECT_LT(server().counts().accepted, kFlood / 10);
  ASSERT_TRUE(wait_until([&] { return server().counts().accepted == kFlood + 1; }));
}

TEST_F(HostileClients, WhoNeverSaysAnythingIsClosedWithoutAWord) {
  options_.patience.head_max = kShort;
  RawClient client(server().port());
  ASSERT_TRUE(wait_for_end(client));
  EXPECT_EQ(client.received(), "");
  EXPECT_EQ(server().counts().timed_out, 1U);
}

TEST_F(HostileClients, WhoDripsAHeadIsTold408) {
  options_.patience.head_max = kShort;
  RawClient client(server().port());
  client.send("GET / HTTP/1.1\r\nX: ");
  ASSERT_TRUE(drip(client, [&] { return client.is_ended(); }));
  EXPECT_THAT(client.received(), HasSubstr("408 Request Timeout"));
  EXPECT_THAT(client.received(), HasSubstr("Connection: close"));
}

TEST_F(HostileClients, WhoDripsABodyIsTold408) {
  options_.patience.body.grace = kShort;
  RawClient client(server().port());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
  ASSERT_TRUE(drip(client, [&] { return client.is_ended(); }));
  EXPECT_THAT(client.received(), HasSubstr("408 Request Timeout"));
}

TEST_F(HostileClients, WhoDripsAChunkedBodyIsTold408) {
  options_.patience.body.grace = kShort;
  RawClient client(server().port());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nf000\r\n");
  ASSERT_TRUE(drip(client, [&] { return client.is_ended(); }));
  EXPECT_THAT(client.received(), HasSubstr("408 Request Timeout"));
}

TEST_F(HostileClients, WhoDoesNotTakeTheAnswerIsDropped) {
  options_.patience.answer.grace = kShort;
  on_request_ = [](const Request&, Answer answer) {
    answer.send({.body = std::string(size_t{64} * 1024 * 1024, 'x')});
  };
  RawClient client(server().port(), 4096);
  client.send(kGet);
  ASSERT_TRUE(wait_until([&] { return server().counts().requests == 1; }));
  ASSERT_TRUE(wait_until([&] { return server().connections() == 0; }));
  EXPECT_EQ(server().counts().slow_readers, 1U);
}

TEST_F(HostileClients, WhoSitsIdleForTooLongIsClosed) {
  options_.patience.idle_max = kShort;
  RawClient client(server().port());
  client.send(kGet);
  ASSERT_TRUE(wait_for_answers(client, 1));
  EXPECT_TRUE(wait_for_end(client));
}

TEST_F(HostileClients, WhoDoesNotHangUpAfterARefusalIsCut) {
  options_.patience.linger_max = kShort;
  RawClient client(server().port());
  client.send("nonsense\r\n\r\n");
  ASSERT_TRUE(wait_for_end(client));
  EXPECT_THAT(client.received(), HasSubstr("400 Bad Request"));
  EXPECT_TRUE(wait_until([&] { return server().connections() == 0; }));
}

TEST_F(HostileClients, WhoSendsATooLargeBodyStillReadsTheRefusal) {
  RawClient client(server().port());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50000000\r\n\r\n");
  const std::string part(size_t{64} * 1024, 'x');
  ASSERT_TRUE(wait_until([&] { return server().counts().refused_requests == 1; }));
  for (int number = 0; number < 20; ++number) {
    client.send(part);
    loop_.run_until([] { return false; }, Duration::ms(1));
  }
  ASSERT_TRUE(wait_for_end(client));
  EXPECT_THAT(client.received(), HasSubstr("413 Content Too Large"));
}

TEST_F(HostileClients, TheLongestIdleMakesRoomWhenTheHouseIsFull) {
  options_.connections_max = 4;
  auto clients = connect_many(4);
  // The first has been idle longest, until it asks again.
  clients[0]->send(kGet);
  ASSERT_TRUE(wait_for_answers(*clients[0], 2));
  RawClient newcomer(server().port());
  newcomer.send(kGet);
  ASSERT_TRUE(wait_for_answers(newcomer, 1));
  ASSERT_TRUE(wait_for_end(*clients[1]));
  clients[0]->receive();
  EXPECT_FALSE(clients[0]->is_ended());
  EXPECT_EQ(server().counts().evicted, 1U);
  EXPECT_EQ(server().connections(), 4U);
}

TEST_F(HostileClients, AFullHouseOfBusyClientsSays503) {
  options_.connections_max = 3;
  options_.refused_connections_max = 2;
  std::vector<Answer> waiting;
  on_request_ = [&](const Request&, Answer answer) { waiting.push_back(std::move(answer)); };
  std::vector<std::unique_ptr<RawClient>> busy;
  for (size_t number = 1; number <= 3; ++number) {
    busy.push_back(std::make_unique<RawClient>(server().port()));
    busy.back()->send(kGet);
    ASSERT_TRUE(wait_until([&] { return waiting.size() == number; }));
  }
  RawClient first(server().port());
  RawClient second(server().port());
  ASSERT_TRUE(wait_for_end(first));
  EXPECT_THAT(first.received(), HasSubstr("503 Service Unavailable"));
  EXPECT_THAT(first.received(), HasSubstr("Retry-After: 1\r\n"));
  ASSERT_TRUE(wait_for_end(second));
  RawClient third(server().port());  // Even the places for refusals are taken.
  ASSERT_TRUE(wait_for_end(third));
  EXPECT_EQ(third.received(), "");
  EXPECT_EQ(server().counts().refused_connections, 3U);
  for (Answer& answer : waiting) {
    answer.send({});
  }
  EXPECT_TRUE(wait_for_answers(*busy[2], 1));
}

TEST_F(HostileClients, OneAddressCannotTakeAllPlaces) {
  options_.connections_per_peer_max = 2;
  auto clients = connect_many(2);
  RawClient third(server().port());
  ASSERT_TRUE(wait_for_end(third));
  EXPECT_THAT(third.received(), HasSubstr("429 Too Many Requests"));
  clients.pop_back();
  ASSERT_TRUE(wait_until([&] { return server().connections() < 3; }));
}

TEST_F(HostileClients, ManyUnfinishedBodiesCannotTakeAllMemory) {
  options_.held_bytes_max = size_t{100} * 1024;
  const std::string part =
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n" + std::string(40'000, 'x');
  RawClient first(server().port());
  RawClient second(server().port());
  first.send(part);
  second.send(part);
  ASSERT_TRUE(wait_until_read(2 * part.size()));
  RawClient third(server().port());
  third.send(part);
  ASSERT_TRUE(wait_for_end(third));
  EXPECT_THAT(third.received(), HasSubstr("503 Service Unavailable"));
  EXPECT_THAT(third.received(), HasSubstr("Retry-After: 1\r\n"));

  // What comes whole needs no memory, and what is finished gives its memory back.
  RawClient small(server().port());
  small.send(kGet);
  ASSERT_TRUE(wait_for_answers(small, 1));
  first.send(std::string(20'000, 'x'));
  ASSERT_TRUE(wait_for_answers(first, 1));
  RawClient fourth(server().port());
  fourth.send(part + std::string(20'000, 'x'));
  EXPECT_TRUE(wait_for_answers(fourth, 1));
}

TEST_F(HostileClients, PlacesAreGivenBack) {
  options_.connections_per_peer_max = 2;
  for (int round = 0; round < 10; ++round) {
    auto clients = connect_many(2);
    clients.clear();
    ASSERT_TRUE(wait_until([&] { return server().connections() == 0; }));
  }
  EXPECT_EQ(server().counts().refused_connections, 0U);
}

}  // namespace
}  // namespace http
