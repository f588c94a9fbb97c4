// A server on its loop, for tests: answers what the test says, or 200 with an account of the
// request.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "http/server.h"
#include "net/loop.h"
#include "tests/http/raw_client.h"

namespace http {

class ServerRig : public testing::Test {
 protected:
  static constexpr base::Duration kPatience = base::Duration::seconds(20);

  ServerRig() {
    options_.patience_check_interval = base::Duration::ms(5);
    on_request_ = [](const Request& request, Answer answer) {
      answer.send({.content_type = "text/plain",
                   .body = std::string(to_word(request.method)) + " " + std::string(request.path) +
                           " " + std::string(request.body)});
    };
  }

  // Made when it is first asked for, from options_ as they are then.
  Server& server() {
    if (server_ == nullptr) {
      const net::SocketAddress address{.address = net::Address::v4(0x7f000001), .port = 0};
      Site site;
      site.on_request = [this](const Request& request, Answer answer) {
        on_request_(request, std::move(answer));
      };
      site.explain = explain_as_json;
      server_ = *Server::listen(loop_, address, options_, site);
    }
    return *server_;
  }

  // Lets the loop work until the condition holds; false if it never does.
  bool wait_until(const std::function<bool()>& condition) {
    return loop_.run_until(condition, kPatience);
  }
  // Until the client has got so many answers.
  bool wait_for_answers(RawClient& client, size_t count, bool is_head = false) {
    return wait_until([&] {
      client.receive();
      return parse_answers(client.received(), is_head).size() >= count;
    });
  }
  bool wait_for_end(RawClient& client) {
    return wait_until([&] {
      client.receive();
      return client.is_ended();
    });
  }
  // The server has read everything that was sent to it, over all connections.
  bool wait_until_read(uint64_t bytes) {
    return wait_until([&] { return server().counts().bytes_read >= bytes; });
  }

  net::Loop loop_;
  ServerOptions options_;
  std::function<void(const Request&, Answer)> on_request_;
  std::unique_ptr<Server> server_;
};

}  // namespace http
