#include "delivery/http_transport.h"

#include <utility>

#include "base/check.h"

namespace delivery {
namespace {

model::Outcome not_prepared(std::string explanation) {
  auto detail = std::make_shared<model::AttemptDetail>();
  detail->explanation = std::move(explanation);
  return {.kind = model::OutcomeKind::kNotStarted,
          .reason = model::OutcomeReason::kNoRequest,
          .detail = std::move(detail)};
}

}  // namespace

HttpTransport::HttpTransport(net::Loop& loop, net::HttpClient& client, RequestSource source,
                             std::string user_agent)
    : loop_(loop),
      client_(client),
      source_(std::move(source)),
      user_agent_(std::move(user_agent)),
      alive_(std::make_shared<bool>(true)) {}

HttpTransport::~HttpTransport() {
  *alive_ = false;
  client_.abandon_all();
}

void HttpTransport::send(const AttemptRequest& request, std::function<void(model::Outcome)> done) {
  std::unique_ptr<Attempt>& attempt = attempts_.at(static_cast<uint64_t>(request.id));
  CHECK(attempt == nullptr);
  attempt = std::make_unique<Attempt>(Attempt{.number = request.number,
                                              .deadline = request.deadline,
                                              .done = std::move(done),
                                              .handle = {}});
  source_(request, [this, alive = alive_, id = request.id](base::Result<PreparedRequest> made) {
    if (*alive) {
      prepared(id, std::move(made));
    }
  });
}

void HttpTransport::abandon(AttemptId attempt) {
  const std::unique_ptr<Attempt> abandoned = attempts_.take(static_cast<uint64_t>(attempt));
  if (abandoned != nullptr && abandoned->handle.has_value()) {
    client_.abandon(*abandoned->handle);
  }
}

void HttpTransport::prepared(AttemptId id, base::Result<PreparedRequest> prepared) {
  const std::unique_ptr<Attempt>* const found = attempts_.find(static_cast<uint64_t>(id));
  if (found == nullptr) {
    return;
  }
  Attempt& attempt = **found;
  auto request = prepared.has_value()
                     ? make_request(attempt, *prepared)
                     : base::Result<net::Request>(std::unexpected(prepared.error()));
  if (!request.has_value()) {
    // The source may have answered at once, and `done` must not run inside send().
    loop_.post([this, alive = alive_, id, outcome = not_prepared(request.error().detail)] {
      if (*alive) {
        finish(id, outcome);
      }
    });
    return;
  }
  attempt.handle = client_.post(*std::move(request), [this, id](net::Reply reply) {
    finish(id, outcome_of(std::move(reply), loop_.wall_clock()));
  });
}

base::Result<net::Request> HttpTransport::make_request(const Attempt& attempt,
                                                       PreparedRequest& prepared) const {
  const int64_t unix_seconds = loop_.wall_clock().ms() / 1000;
  net::Request request;
  net::HeaderLines& headers = request.headers;
  headers = std::move(prepared.headers);
  headers.add("User-Agent", user_agent_);
  headers.add("Content-Type", "application/json");
  headers.add("webhook-id", prepared.webhook_id);
  headers.add("webhook-timestamp", std::to_string(unix_seconds));
  if (prepared.signer != nullptr) {
    TRY(const std::string signature,
        prepared.signer->sign(
            {.id = prepared.webhook_id, .unix_seconds = unix_seconds, .body = *prepared.body}));
    headers.add("webhook-signature", signature);
  }
  headers.add("postrider-attempt", std::to_string(attempt.number));
  request.url = std::move(prepared.url);
  request.body = std::move(prepared.body);
  request.deadline = attempt.deadline;
  request.pool_owner = prepared.pool_owner;
  request.tls = std::move(prepared.tls);
  return request;
}

void HttpTransport::finish(AttemptId id, model::Outcome outcome) {
  const std::unique_ptr<Attempt> ended = attempts_.take(static_cast<uint64_t>(id));
  if (ended != nullptr) {
    ended->done(std::move(outcome));
  }
}

}  // namespace delivery
