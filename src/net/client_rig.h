// An HTTP client on its loop, for tests: may reach this machine, posts one request and waits for
// its reply.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "net/http_client.h"
#include "net/loop.h"

namespace net {

class ClientRig : public testing::Test {
 protected:
  static constexpr base::Duration kPatience = base::Duration::seconds(20);

  ClientRig() {
    options_.guard.allow = {*Cidr::parse("127.0.0.0/8"), *Cidr::parse("::1")};
    options_.guard.any_port = true;
  }

  // Made when it is first asked for, from options_ as they are then.
  HttpClient& client() {
    if (client_ == nullptr) {
      client_ = *HttpClient::make(loop_, options_);
    }
    return *client_;
  }

  static Request request_to(const std::string& url,
                            base::Duration deadline = base::Duration::seconds(5)) {
    Request request;
    request.url = *parse_url(url);
    request.body = std::make_shared<const std::string>("{\"a\":1}");
    request.deadline = deadline;
    request.pool_owner = 1;
    return request;
  }

  Reply post(Request request) {
    std::optional<Reply> reply;
    client().post(std::move(request), [&](Reply came) { reply = std::move(came); });
    EXPECT_FALSE(reply.has_value()) << "done ran inside the call";
    EXPECT_TRUE(loop_.run_until([&] { return reply.has_value(); }, kPatience));
    return *std::move(reply);
  }

  Reply post(const std::string& url, base::Duration deadline = base::Duration::seconds(5)) {
    return post(request_to(url, deadline));
  }

  // 0 if the reply is no response.
  static uint16_t status_of(const Reply& reply) {
    const auto* response = std::get_if<Response>(&reply.ending);
    return response == nullptr ? 0 : response->head.status;
  }

  // Lets what is under way happen, for tests of what must not.
  void settle(base::Duration length = base::Duration::ms(30)) {
    loop_.run_until([] { return false; }, length);
  }

  Loop loop_;
  ClientOptions options_;
  std::unique_ptr<HttpClient> client_;
};

}  // namespace net
