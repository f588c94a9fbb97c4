// Requests and answers on healthy connections: order, keep-alive, late answers, clients that leave,
// draining.

#include "http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/http/server_rig.h"

namespace http {
namespace {

using base::Duration;
using testing::HasSubstr;

constexpr std::string_view kGet = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";

using ServerTest = ServerRig;

TEST_F(ServerTest, AnswersManyRequestsOnOneConnection) {
  RawClient client(server().port());
  for (size_t number = 1; number <= 20; ++number) {
    client.send("POST /n HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi");
    ASSERT_TRUE(wait_for_answers(client, number));
  }
  EXPECT_EQ(parse_answers(client.received()).back().body, "POST /n hi");
  EXPECT_EQ(server().counts().accepted, 1U);
  EXPECT_EQ(server().counts().requests, 20U);
}

TEST_F(ServerTest, AnswersPipelinedRequestsInOrder) {
  RawClient client(server().port());
  std::string requests;
  for (int number = 0; number < 100; ++number) {
    requests += "GET /" + std::to_string(number) + " HTTP/1.1\r\nHost: a\r\n\r\n";
  }
  client.send(requests);
  ASSERT_TRUE(wait_for_answers(client, 100));
  const std::vector<RawAnswer> answers = parse_answers(client.received());
  for (size_t number = 0; number < 100; ++number) {
    EXPECT_EQ(answers[number].body, "GET /" + std::to_string(number) + " ");
  }
}

TEST_F(ServerTest, HandsOverThePipelinedRequestOnlyWhenTheOneBeforeIsAnswered) {
  std::vector<Answer> waiting;
  on_request_ = [&](const Request&, Answer answer) { waiting.push_back(std::move(answer)); };
  RawClient client(server().port());
  client.send(std::string(kGet) + std::string(kGet) + std::string(kGet));
  for (size_t number = 1; number <= 3; ++number) {
    ASSERT_TRUE(wait_until([&] { return waiting.size() == number; }));
    loop_.run_until([] { return false; }, Duration::ms(10));
    EXPECT_EQ(waiting.size(), number);
    waiting.back().send({.body = std::to_string(number)});
  }
  ASSERT_TRUE(wait_for_answers(client, 3));
  EXPECT_EQ(parse_answers(client.received())[2].body, "3");
}

TEST_F(ServerTest, StopsReadingAheadWhileALotIsUnsent) {
  options_.unsent_bytes_max = size_t{64} * 1024;
  on_request_ = [](const Request&, Answer answer) {
    answer.send({.body = std::string(size_t{1024} * 1024, 'x')});
  };
  RawClient client(server().port(), 4096);
  std::string requests;
  for (int number = 0; number < 50; ++number) {
    requests += kGet;
  }
  client.send(requests);
  ASSERT_TRUE(wait_until([&] { return server().counts().requests > 0; }));
  loop_.run_until([] { return false; }, Duration::ms(50));
  EXPECT_LT(server().counts().requests, 20U);
  EXPECT_TRUE(wait_for_answers(client, 50));
}

TEST_F(ServerTest, TakesAnAnswerFromAnotherThread) {
  std::optional<std::jthread> worker;
  on_request_ = [&](const Request&, Answer answer) {
    worker.emplace([answer = std::move(answer)]() mutable { answer.post({.body = "late"}); });
  };
  RawClient client(server().port());
  client.send(kGet);
  ASSERT_TRUE(wait_for_answers(client, 1));
  EXPECT_EQ(parse_answers(client.received())[0].body, "late");
}

TEST_F(ServerTest, GivesEveryAnswerItsDateAndId) {
  RawClient client(server().port());
  client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n\r\n" + std::string(kGet));
  ASSERT_TRUE(wait_for_answers(client, 2));
  const std::vector<RawAnswer> answers = parse_answers(client.received());
  EXPECT_EQ(answers[0].field("X-Request-Id"), "mine");
  EXPECT_EQ(answers[1].field("X-Request-Id").size(), 16U);
  EXPECT_THAT(answers[1].field("Date"), HasSubstr(" GMT"));
}

TEST_F(ServerTest, AnswersHeadWithoutABody) {
  RawClient client(server().port());
  client.send("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(wait_for_answers(client, 1, true));
  EXPECT_TRUE(client.received().ends_with("Content-Length: 8\r\n\r\n"));
}

TEST_F(ServerTest, TellsAClientToContinueBeforeItSendsTheBody) {
  RawClient client(server().port());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  ASSERT_TRUE(wait_until([&] {
    client.receive();
    return client.received() == "HTTP/1.1 100 Continue\r\n\r\n";
  }));
  client.send("hi");
  ASSERT_TRUE(wait_for_answers(client, 1));
  EXPECT_EQ(parse_answers(client.received())[0].body, "POST / hi");
}

TEST_F(ServerTest, AnswersAClientThatHasEndedItsSide) {
  std::optional<Answer> waiting;
  on_request_ = [&](const Request&, Answer answer) { waiting.emplace(std::move(answer)); };
  RawClient client(server().port());
  client.send(kGet);
  client.end_output();
  ASSERT_TRUE(wait_until([&] { return waiting.has_value(); }));
  loop_.run_until([] { return false; }, Duration::ms(10));
  waiting->send({.body = "still"});
  ASSERT_TRUE(wait_for_end(client));
  EXPECT_EQ(parse_answers(client.received())[0].body, "still");
  EXPECT_EQ(parse_answers(client.received())[0].field("Connection"), "close");
}

TEST_F(ServerTest, FreesTheConnectionOfAClientThatWasReset) {
  std::optional<Answer> waiting;
  on_request_ = [&](const Request&, Answer answer) { waiting.emplace(std::move(answer)); };
  RawClient client(server().port());
  client.send(kGet);
  ASSERT_TRUE(wait_until([&] { return waiting.has_value(); }));
  client.reset();
  ASSERT_TRUE(wait_until([&] { return server().connections() == 0; }));
  waiting->send({.body = "falls harmlessly"});
}

TEST_F(ServerTest, LetsAnswersOutliveIt) {
  std::optional<Answer> sent;
  std::optional<Answer> dropped;
  on_request_ = [&](const Request&, Answer answer) {
    (sent.has_value() ? dropped : sent).emplace(std::move(answer));
  };
  RawClient first(server().port());
  RawClient second(server().port());
  first.send(kGet);
  second.send(kGet);
  ASSERT_TRUE(wait_until([&] { return dropped.has_value(); }));
  server_.reset();
  sent->send({});
  dropped.reset();
}

TEST_F(ServerTest, SharesItsPortWithTheServerOfAnotherReactor) {
  const net::SocketAddress same{.address = net::Address::v4(0x7f000001), .port = server().port()};
  EXPECT_TRUE(Server::listen(loop_, same, options_, {}).has_value());
}

TEST_F(ServerTest, SaysWhichAddressItCannotListenOn) {
  const net::SocketAddress foreign{.address = net::Address::v4(0xc0000201), .port = 80};
  const auto refused = Server::listen(loop_, foreign, options_, {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().detail, HasSubstr("192.0.2.1:80"));
}

using ServerDeathTest = ServerRig;

TEST_F(ServerDeathTest, StopsTheProcessWhenARequestIsNeverAnswered) {
  on_request_ = [](const Request&, const Answer&) {};
  RawClient client(server().port());
  client.send(kGet);
  EXPECT_DEATH(wait_for_answers(client, 1), "CHECK failed");
}

class Draining : public ServerRig {
 protected:
  void drain(Duration limit) {
    server().drain(limit, [this] { is_drained_ = true; });
  }

  bool is_drained_ = false;
};

TEST_F(Draining, EndsAtOnceWithoutConnections) {
  server();
  drain(Duration::seconds(10));
  EXPECT_TRUE(wait_until([&] { return is_drained_; }));
}

TEST_F(Draining, ClosesIdleConnectionsAndFinishesWhatIsUnderWay) {
  std::optional<Answer> waiting;
  RawClient idle(server().port());
  idle.send(kGet);
  ASSERT_TRUE(wait_for_answers(idle, 1));
  on_request_ = [&](const Request&, Answer answer) { waiting.emplace(std::move(answer)); };
  RawClient busy(server().port());
  busy.send(kGet);
  ASSERT_TRUE(wait_until([&] { return waiting.has_value(); }));
  RawClient half(server().port());
  half.send(kGet.substr(0, 10));
  ASSERT_TRUE(wait_until_read(kGet.size() * 2 + 10));

  drain(Duration::seconds(10));
  ASSERT_TRUE(wait_for_end(idle));
  EXPECT_FALSE(is_drained_);
  waiting->send({.body = "finished"});
  ASSERT_TRUE(wait_for_end(busy));
  EXPECT_EQ(parse_answers(busy.received())[0].body, "finished");
  EXPECT_EQ(parse_answers(busy.received())[0].field("Connection"), "close");
  on_request_ = [](const Request&, Answer answer) { answer.send({.body = "the last"}); };
  half.send(kGet.substr(10));
  ASSERT_TRUE(wait_for_end(half));
  EXPECT_EQ(parse_answers(half.received())[0].body, "the last");
  EXPECT_TRUE(wait_until([&] { return is_drained_; }));
}

TEST_F(Draining, CutsWhatIsNotDoneInTime) {
  std::optional<Answer> waiting;
  on_request_ = [&](const Request&, Answer answer) { waiting.emplace(std::move(answer)); };
  RawClient client(server().port());
  client.send(kGet);
  ASSERT_TRUE(wait_until([&] { return waiting.has_value(); }));
  drain(Duration::ms(20));
  EXPECT_TRUE(wait_for_end(client));
  EXPECT_TRUE(wait_until([&] { return is_drained_; }));
  waiting->send({});
}

}  // namespace
}  // namespace http
