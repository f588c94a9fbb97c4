// Posts to a server's API and waits for the answer. The server is the user's own choice, so nothing
// is refused that a delivery would be.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http_client.h"
#include "net/loop.h"
#include "net/url.h"

namespace client {

struct ApiAnswer {
  uint16_t status = 0;
  bool is_replayed = false;  // the same was accepted before
  std::string body;
};

class ApiClient {
 public:
  // `server`: "http://127.0.0.1:8080"; a path in it comes before those of the API.
  static base::Result<std::unique_ptr<ApiClient>> make(std::string_view server,
                                                       std::string_view key);

  // An error if there is no answer; any answer is one, whatever its status.
  base::Result<ApiAnswer> post(std::string_view path, std::string_view content_type,
                               std::string body);

 private:
  ApiClient() = default;

  net::Loop loop_;
  std::unique_ptr<net::HttpClient> client_;  // after the loop: it goes first
  net::Url server_;
  std::string key_;
};

// The server's refusal as a sentence or two, without a full stop.
std::string refusal_text(const ApiAnswer& answer);

}  // namespace client
