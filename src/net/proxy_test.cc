// Deliveries through an egress proxy, played by a receiver that answers CONNECT and then plays the
// target behind it.
#include <gtest/gtest.h>

#include <string>

#include "net/client_rig.h"
#include "net/test_receiver.h"

namespace net {
namespace {

using base::Duration;

class ProxyTest : public ClientRig {
 protected:
  ProxyTest() {
    options_.guard.allow.push_back(*Cidr::parse("10.1.2.3"));
    options_.proxy = ProxyOptions{.url = *parse_url(proxy_.url()), .authorization = "Basic eDp5"};
  }

  void answer_connect(const std::string& answer) {
    proxy_.on_request = [answer](const TestRequest& request) {
      return request.number == 0
                 ? Act{.bytes = answer}
                 : Act{.bytes = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"};
    };
  }

  TestReceiver proxy_{loop_};
};

TEST_F(ProxyTest, TunnelsToTheVettedAddressAndKeepsTheTunnel) {
  answer_connect("HTTP/1.1 200 Connection established\r\n\r\n");
  EXPECT_EQ(status_of(post("http://10.1.2.3:8080/hook")), 201);
  EXPECT_EQ(proxy_.requests[0].text,
            "CONNECT 10.1.2.3:8080 HTTP/1.1\r\nHost: 10.1.2.3:8080\r\n"
            "Proxy-Authorization: Basic eDp5\r\n\r\n");
  EXPECT_TRUE(
      proxy_.requests[1].text.starts_with("POST /hook HTTP/1.1\r\nHost: 10.1.2.3:8080\r\n"));
  EXPECT_EQ(proxy_.requests[1].text.find("Proxy-Authorization"), std::string::npos);
  EXPECT_TRUE(post("http://10.1.2.3:8080/hook").is_reused);
  EXPECT_EQ(proxy_.connections, 1);
}

TEST_F(ProxyTest, TheGuardJudgesTheTargetAllTheSame) {
  const Reply reply = post("http://10.9.9.9:8080/hook");
  EXPECT_EQ(std::get<TargetRefused>(reply.ending).refusal, Refusal::kPrivate);
  settle();
  EXPECT_EQ(proxy_.connections, 0);
}

TEST_F(ProxyTest, WhatItSaysOfTheTargetIsTheTargetsFailure) {
  for (const char* status :
       {"502 Bad Gateway", "503 Unavailable", "504 Timeout", "403 Forbidden"}) {
    answer_connect("HTTP/1.1 " + std::string(status) + "\r\nContent-Length: 0\r\n\r\n");
    const Reply reply = post("http://10.1.2.3:8080/hook");
    EXPECT_EQ(std::get<ConnectFailed>(reply.ending).failure, ConnectFailure::kRefusedByProxy);
  }
}

TEST_F(ProxyTest, AProxyThatCannotBeUsedMeansNotStarted) {
  const auto failure = [this] {
    const Reply reply = post("http://10.1.2.3:8080/hook", Duration::ms(300));
    return std::get<NotStarted>(reply.ending).failure;
  };
  answer_connect("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(failure(), StartFailure::kProxyUnreachable);
  answer_connect("nonsense");
  EXPECT_EQ(failure(), StartFailure::kProxyUnreachable);
  proxy_.on_request = [](const TestRequest&) {
    return Act{.bytes = "", .then = Act::Then::kReset};
  };
  EXPECT_EQ(failure(), StartFailure::kProxyUnreachable);
}

TEST_F(ProxyTest, AProxyThatIsNotThereMeansNotStarted) {
  options_.proxy->url = *parse_url("http://127.0.0.1:1/");
  const Reply reply = post("http://10.1.2.3:8080/hook");
  EXPECT_EQ(std::get<NotStarted>(reply.ending).failure, StartFailure::kProxyUnreachable);
}

TEST_F(ProxyTest, ATargetThatTheProxyCannotReachInTimeTimesOutConnecting) {
  answer_connect("");
  const Reply reply = post("http://10.1.2.3:8080/hook", Duration::ms(80));
  EXPECT_EQ(std::get<TimedOut>(reply.ending).phase, Phase::kConnect);
}

}  // namespace
}  // namespace net
