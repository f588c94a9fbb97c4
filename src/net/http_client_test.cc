#include "net/http_client.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/client_rig.h"
#include "net/deadline.h"
#include "net/test_receiver.h"

namespace net {
namespace {

using base::Duration;
using base::Instant;

class HttpClientTest : public ClientRig {};

TEST_F(HttpClientTest, PostsAndReadsTheResponse) {
  TestReceiver receiver(loop_);
  receiver.on_request = [](const TestRequest&) {
    return Act{.bytes = "HTTP/1.1 202 Accepted\r\nX-Who: me\r\nContent-Length: 5\r\n\r\nhello"};
  };
  Request request = request_to(receiver.url());
  request.headers.add("Content-Type", "application/json");
  const Reply reply = post(std::move(request));
  const auto& response = std::get<Response>(reply.ending);
  EXPECT_EQ(response.head.status, 202);
  EXPECT_EQ(response.head.find("x-who"), "me");
  EXPECT_EQ(response.body, "hello");
  EXPECT_EQ(reply.remote->to_string(), "127.0.0.1:" + std::to_string(receiver.port()));
  ASSERT_EQ(receiver.requests.size(), 1U);
  EXPECT_EQ(receiver.requests[0].text,
            "POST /hook HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(receiver.port()) +
                "\r\nContent-Length: 7\r\nAccept: */*\r\nAccept-Encoding: identity\r\n"
                "Content-Type: application/json\r\n\r\n{\"a\":1}");
}

TEST_F(HttpClientTest, ReusesAConnectionOfTheSameOwnerOnly) {
  TestReceiver receiver(loop_);
  EXPECT_FALSE(post(receiver.url()).is_reused);
  EXPECT_TRUE(post(receiver.url()).is_reused);
  EXPECT_EQ(receiver.connections, 1);
  Request other = request_to(receiver.url());
  other.pool_owner = 2;
  EXPECT_FALSE(post(std::move(other)).is_reused);
  EXPECT_EQ(receiver.connections, 2);
  EXPECT_EQ(client().idle_connections(), 2U);
}

TEST_F(HttpClientTest, DoesNotReuseAConnectionWithLeftovers) {
  TestReceiver receiver(loop_);
  receiver.on_request = [](const TestRequest&) {
    return Act{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok HTTP/1.1 200 OK\r\n"};
  };
  post(receiver.url());
  EXPECT_EQ(client().open_connections(), 0U);
}

TEST_F(HttpClientTest, DoesNotTakeAPlantedReplyForAnAnswer) {
  TestReceiver receiver(loop_);
  post(receiver.url());
  ASSERT_EQ(client().idle_connections(), 1U);
  // It has arrived, and the loop has had no turn yet to notice.
  receiver.say("HTTP/1.1 500 Planted\r\nContent-Length: 0\r\n\r\n");
  const Reply reply = post(receiver.url());
  EXPECT_EQ(status_of(reply), 200);
  EXPECT_FALSE(reply.is_reused);
  EXPECT_EQ(receiver.connections, 2);
}

TEST_F(HttpClientTest, DropsAnIdleConnectionThatTheReceiverCloses) {
  TestReceiver receiver(loop_);
  post(receiver.url());
  EXPECT_EQ(client().idle_connections(), 1U);
  receiver.close_all();
  EXPECT_TRUE(loop_.run_until([&] { return client().idle_connections() == 0; }, kPatience));
  EXPECT_EQ(client().open_connections(), 0U);
}

TEST_F(HttpClientTest, ClosesAConnectionThatHasBeenIdleForTooLong) {
  options_.pool.idle_timeout = Duration::ms(20);
  TestReceiver receiver(loop_);
  post(receiver.url());
  EXPECT_TRUE(loop_.run_until([&] { return client().open_connections() == 0; }, kPatience));
}

TEST_F(HttpClientTest, AReusedConnectionThatWasClosedIsReplacedOnce) {
  for (const auto then : {Act::Then::kClose, Act::Then::kReset}) {
    TestReceiver receiver(loop_);
    receiver.on_request = [then](const TestRequest& request) {
      if (request.number == 1) {
        return Act{.bytes = "", .then = then};
      }
      return Act{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"};
    };
    EXPECT_EQ(status_of(post(receiver.url())), 200);
    const Reply second = post(receiver.url());
    EXPECT_EQ(status_of(second), 200);
    EXPECT_FALSE(second.is_reused);
    EXPECT_EQ(receiver.connections, 2);
    EXPECT_EQ(receiver.requests.size(), 3U);
  }
}

TEST_F(HttpClientTest, AFreshConnectionThatIsClosedIsNotReplaced) {
  TestReceiver receiver(loop_);
  receiver.on_request = [](const TestRequest&) {
    return Act{.bytes = "", .then = Act::Then::kReset};
  };
  const Reply reply = post(receiver.url());
  EXPECT_EQ(std::get<BrokenOff>(reply.ending).phase, Phase::kHead);
  EXPECT_EQ(receiver.connections, 1);
}

TEST_F(HttpClientTest, AConnectionThatBreaksWithinTheHeadIsNotReplaced) {
  TestReceiver receiver(loop_);
  receiver.on_request = [](const TestRequest& request) {
    return request.number == 0
               ? Act{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}
               : Act{.bytes = "HTTP/1.1 200 OK\r\nConte", .then = Act::Then::kClose};
  };
  post(receiver.url());
  EXPECT_EQ(std::get<BrokenOff>(post(receiver.url()).ending).phase, Phase::kHead);
  EXPECT_EQ(receiver.requests.size(), 2U);
}

TEST_F(HttpClientTest, ASilentReceiverTimesOutWaitingForTheHead) {
  TestReceiver receiver(loop_);
  receiver.on_request = [](const TestRequest&) { return Act{}; };
  const Instant start = loop_.now();
  const Reply reply = post(receiver.url(), Duration::ms(80));
  EXPECT_EQ(std::get<TimedOut>(reply.ending).phase, Phase::kHead);
  EXPECT_GE(loop_.now() - start, Duration::ms(80));
  EXPECT_GE(reply.times[static_cast<size_t>(Phase::kHead)], Duration::ms(70));
  EXPECT_EQ(client().open_connections(), 0U);
}

TEST_F(HttpClientTest, AReceiverThatDoesNotReadTimesOutWriting) {
  TestReceiver receiver(loop_);
  receiver.is_deaf = true;
  Request request = request_to(receiver.url(), Duration::ms(150));
  request.body = std::make_shared<const std::string>(size_t{64} * 1024 * 1024, 'x');
  EXPECT_EQ(std::get<TimedOut>(post(std::move(request)).ending).phase, Phase::kWrite);
}

TEST_F(HttpClientTest, ASlowBodyDoesNotUndoItsHead) {
  TestReceiver receiver(loop_);
  receiver.on_request = [](const TestRequest&) {
    return Act{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart"};
  };
  const Reply reply = post(receiver.url(), Duration::ms(80));
  EXPECT_EQ(status_of(reply), 200);
  EXPECT_EQ(std::get<Response>(reply.ending).body, "part");
  EXPECT_EQ(client().open_connections(), 0U);
}

TEST_F(HttpClientTest, ABodyThatBreaksOffDoesNotUndoItsHead) {
  for (const auto then : {Act::Then::kClose, Act::Then::kReset}) {
    TestReceiver receiver(loop_);
    receiver.on_request = [then](const TestRequest&) {
      return Act{.bytes = "HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\npart", .then = then};
    };
    EXPECT_EQ(status_of(post(receiver.url())), 201);
  }
}

TEST_F(HttpClientTest, AnEndlessBodyIsCutAndTheConnectionClosed) {
  TestReceiver receiver(loop_);
  receiver.on_request = [](const TestRequest&) {
    return Act{.bytes = "HTTP/1.1 200 OK\r\n\r\n" + std::string(size_t{1024} * 1024, 'z')};
  };
  const Reply reply = post(receiver.url());
  EXPECT_EQ(std::get<Response>(reply.ending).body.size(), size_t{16} * 1024);
  EXPECT_TRUE(std::get<Response>(reply.ending).is_body_cut);
  EXPECT_EQ(client().open_connections(), 0U);
}

TEST_F(HttpClientTest, AnEarlyAnswerToALargeRequestCounts) {
  TestReceiver receiver(loop_);
  receiver.on_accept = [](int) {
    return Act{.bytes = "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n",
               .then = Act::Then::kClose};
  };
  Request request = request_to(receiver.url());
  request.body = std::make_shared<const std::string>(size_t{8} * 1024 * 1024, 'x');
  EXPECT_EQ(status_of(post(std::move(request))), 413);
  EXPECT_EQ(client().open_connections(), 0U);
}

TEST_F(HttpClientTest, LargeBodiesArriveWhole) {
  TestReceiver receiver(loop_);
  Request request = request_to(receiver.url());
  std::string body;
  for (int number = 0; body.size() < size_t{3} * 1024 * 1024; ++number) {
    body += std::to_string(number) + ",";
  }
  request.body = std::make_shared<const std::string>(body);
  EXPECT_EQ(status_of(post(std::move(request))), 200);
  EXPECT_TRUE(receiver.requests[0].text.ends_with("\r\n\r\n" + body));
}

TEST_F(HttpClientTest, RedirectsAreNotFollowed) {
  TestReceiver target(loop_);
  TestReceiver receiver(loop_);
  receiver.on_request = [&](const TestRequest&) {
    return Act{.bytes = "HTTP/1.1 307 Go\r\nLocation: " + target.url() +
                        "\r\nContent-Length: 0\r\n\r\n"};
  };
  EXPECT_EQ(status_of(post(receiver.url())), 307);
  EXPECT_EQ(target.connections, 0);
}

TEST_F(HttpClientTest, GarbageIsAProtocolError) {
  TestReceiver receiver(loop_);
  receiver.on_request = [](const TestRequest&) { return Act{.bytes = "SSH-2.0-x\r\n"}; };
  EXPECT_FALSE(std::get<Malformed>(post(receiver.url()).ending).problem.empty());
  EXPECT_EQ(client().open_connections(), 0U);
}

TEST_F(HttpClientTest, AClosedPortIsRefused) {
  uint16_t port = 0;
  {
    const TestReceiver gone(loop_);
    port = gone.port();
  }
  const Reply reply = post("http://127.0.0.1:" + std::to_string(port) + "/");
  EXPECT_EQ(std::get<ConnectFailed>(reply.ending).failure, ConnectFailure::kRefused);
}

TEST_F(HttpClientTest, TheGuardRefusesBeforeAnyConnect) {
  options_.guard.allow.clear();
  TestReceiver receiver(loop_);
  const Reply literal = post(receiver.url());
  EXPECT_EQ(std::get<TargetRefused>(literal.ending).refusal, Refusal::kLoopback);
  const Reply name = post(receiver.url("localhost"));
  EXPECT_EQ(std::get<TargetRefused>(name.ending).refusal, Refusal::kName);
  const Reply port = post("http://8.8.8.8:25/");
  EXPECT_EQ(std::get<TargetRefused>(port.ending).refusal, Refusal::kPort);
  settle();
  EXPECT_EQ(receiver.connections, 0);
}

TEST_F(HttpClientTest, ConnectsOverIpv6) {
  TestReceiver receiver(loop_, "::1");
  EXPECT_EQ(status_of(post(receiver.url("[::1]"))), 200);
}

TEST_F(HttpClientTest, AnAbandonedRequestIsSilentAndFreesItsConnection) {
  TestReceiver receiver(loop_);
  receiver.on_request = [](const TestRequest&) { return Act{}; };
  bool ran = false;
  const auto handle = client().post(request_to(receiver.url(), Duration::ms(50)),
                                    [&](const Reply&) { ran = true; });
  EXPECT_TRUE(loop_.run_until([&] { return receiver.requests.size() == 1; }, kPatience));
  client().abandon(handle);
  EXPECT_EQ(client().open_connections(), 0U);
  settle(Duration::ms(100));
  EXPECT_FALSE(ran);
}

TEST_F(HttpClientTest, WithoutRoomForAConnectionAnIdleOneGoesOrNothingStarts) {
  options_.connections_max = 1;
  TestReceiver receiver(loop_);
  TestReceiver other(loop_);
  EXPECT_EQ(status_of(post(receiver.url())), 200);
  EXPECT_EQ(status_of(post(other.url())), 200);
  EXPECT_EQ(client().open_connections(), 1U);

  receiver.on_request = [](const TestRequest&) { return Act{}; };
  client().post(request_to(receiver.url()), [](const Reply&) {});
  const Reply refused = post(other.url());
  EXPECT_EQ(std::get<NotStarted>(refused.ending).failure, StartFailure::kConnectionLimit);
}

TEST_F(HttpClientTest, AHeaderThatWouldBreakOutOfItsLineIsNotSent) {
  TestReceiver receiver(loop_);
  Request request = request_to(receiver.url());
  request.headers.add("X-A", "b\r\nHost: evil");
  EXPECT_EQ(std::get<NotStarted>(post(std::move(request)).ending).failure,
            StartFailure::kBadRequest);
  EXPECT_TRUE(receiver.requests.empty());
}

TEST_F(HttpClientTest, EachKeyKeepsNoMoreIdleConnectionsThanItMay) {
  options_.pool.idle_per_key_max = 2;
  TestReceiver receiver(loop_);
  size_t done = 0;
  for (int number = 0; number < 5; ++number) {
    client().post(request_to(receiver.url()), [&](const Reply&) { done += 1; });
  }
  EXPECT_TRUE(loop_.run_until([&] { return done == 5; }, kPatience));
  EXPECT_EQ(receiver.connections, 5);
  EXPECT_EQ(client().idle_connections(), 2U);
}

TEST_F(HttpClientTest, AClientMayEndWithRequestsUnderWay) {
  TestReceiver receiver(loop_);
  receiver.on_request = [](const TestRequest&) { return Act{}; };
  client().post(request_to(receiver.url()), [](const Reply&) { FAIL(); });
  EXPECT_TRUE(loop_.run_until([&] { return receiver.requests.size() == 1; }, kPatience));
  client().post(request_to("http://127.0.0.1:25/"), [](const Reply&) { FAIL(); });
  client_.reset();
  settle();
}

TEST(DeadlineTest, OneMillisecondDecides) {
  const Deadline deadline(Instant::from_ms(1000), Duration::seconds(5));
  EXPECT_FALSE(deadline.is_over(Instant::from_ms(5999)));
  EXPECT_TRUE(deadline.is_over(Instant::from_ms(6000)));
  EXPECT_TRUE(deadline.is_over(Instant::from_ms(6001)));
  EXPECT_EQ(deadline.left(Instant::from_ms(5999)), Duration::ms(1));
  EXPECT_EQ(deadline.left(Instant::from_ms(7000)), Duration());
}

TEST(DeadlineTest, TheLastOfSeveralTriesHasItsShare) {
  const Deadline deadline(Instant::from_ms(0), Duration::ms(900));
  EXPECT_EQ(deadline.share_until(Instant::from_ms(0), 3), Instant::from_ms(300));
  EXPECT_EQ(deadline.share_until(Instant::from_ms(300), 2), Instant::from_ms(600));
  EXPECT_EQ(deadline.share_until(Instant::from_ms(600), 1), Instant::from_ms(900));
}

}  // namespace
}  // namespace net
