#include "client/api_client.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <variant>

#include "client/receipt.h"
#include "delivery/http_transport.h"
#include "match/json.h"
#include "model/outcome_words.h"

namespace client {
namespace {

constexpr base::Duration kDeadline = base::Duration::seconds(60);
constexpr size_t kAnswerBytesMax = size_t{64} << 20U;

net::ClientOptions client_options() {
  net::ClientOptions options;
  options.guard.allow = {*net::Cidr::parse("0.0.0.0/0"), *net::Cidr::parse("::/0")};
  options.guard.allow_link_local = true;
  options.guard.any_port = true;
  options.response.body_bytes_max = kAnswerBytesMax;
  options.response.body_bytes_kept = kAnswerBytesMax;
  return options;
}

}  // namespace

base::Result<std::unique_ptr<ApiClient>> ApiClient::make(std::string_view server,
                                                         std::string_view key) {
  std::unique_ptr<ApiClient> made(new ApiClient);
  TRY(made->server_, net::parse_url(server));
  if (made->server_.host == "localhost") {
    made->server_.literal = net::Address::v4(0x7F000001);  // the client asks DNS, and no hosts file
  }
  made->key_ = key;
  TRY(made->client_, net::HttpClient::make(made->loop_, client_options()));
  return made;
}

base::Result<ApiAnswer> ApiClient::post(std::string_view path, std::string_view content_type,
                                        std::string body) {
  net::Request request{.url = server_, .deadline = kDeadline, .pool_owner = 1};
  std::string& target = request.url.target;
  target.erase(target.find_last_not_of('/') + 1);
  target += path;
  request.headers.add("Authorization", "Bearer " + key_);
  request.headers.add("Content-Type", content_type);
  request.body = std::make_shared<const std::string>(std::move(body));
  if (!request.headers.is_sound()) {
    return base::fail(base::ErrorCode::kInvalid,
                      "the key has characters that no key has; give it as it was printed");
  }

  std::optional<net::Reply> reply;
  client_->post(std::move(request), [&](net::Reply came) {
    reply = std::move(came);
    loop_.stop();
  });
  loop_.run();
  if (auto* const response = std::get_if<net::Response>(&reply->ending)) {
    return ApiAnswer{.status = response->head.status,
                     .is_replayed = response->head.find("Idempotency-Replayed") == "true",
                     .body = std::move(response->body)};
  }
  const model::Outcome outcome = delivery::outcome_of(std::move(*reply), loop_.wall_clock());
  return base::fail(
      base::ErrorCode::kUnavailable,
      fmt::format("{} cannot be reached: {}", server_.to_string(), model::describe(outcome)));
}

std::string refusal_text(const ApiAnswer& answer) {
  match::JsonParser parser;
  const auto root = parser.parse(answer.body);
  const match::JsonValue error = root.has_value() ? root->find("error") : match::JsonValue();
  const std::string problem = problem_text(error);
  return problem.empty() ? fmt::format("the server answered {}", answer.status)
                         : fmt::format("the server answered {}: {}", answer.status, problem);
}

}  // namespace client
