// Transport over HTTP: puts a delivery's request together, posts it, and says how it ended in the
// words of the model.
//
// What is in a request comes from a RequestSource, which knows subscriptions and payloads; what
// makes it a delivery is added here, anew for each attempt: the timestamp and the signature over
// it, the attempt's number. Decides nothing: whether an outcome is a success is the core's to say.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/flat_table.h"
#include "base/result.h"
#include "delivery/signature.h"
#include "delivery/transport.h"
#include "net/http_client.h"
#include "net/loop.h"
#include "net/request.h"
#include "net/tls_identity.h"
#include "net/url.h"

namespace delivery {

// All that is known of an attempt's request before the attempt.
struct PreparedRequest {
  net::Url url;
  std::shared_ptr<const std::string> body;
  std::string webhook_id;                // the same for each attempt
  std::shared_ptr<const Signer> signer;  // null: not signed
  // The event's and the subscription's own: the latter were checked when it was registered.
  net::HeaderLines headers;
  uint64_t pool_owner = 0;                      // see net::Request
  std::shared_ptr<const net::TlsIdentity> tls;  // null: the client's own
};

// Hands over the request of an attempt, at once or later, on the loop's thread. A failure is ours:
// the attempt counts as not started.
using PrepareDone = std::function<void(base::Result<PreparedRequest>)>;
using RequestSource = std::function<void(const AttemptRequest&, PrepareDone)>;

class HttpTransport : public Transport {
 public:
  // The client is this transport's alone. `user_agent`: "Postrider/1.2.3".
  HttpTransport(net::Loop& loop, net::HttpClient& client, RequestSource source,
                std::string user_agent);
  ~HttpTransport() override;

  HttpTransport(const HttpTransport&) = delete;
  HttpTransport& operator=(const HttpTransport&) = delete;

  void send(const AttemptRequest& request, std::function<void(model::Outcome)> done) override;
  void abandon(AttemptId attempt) override;

 private:
  struct Attempt {
    uint32_t number = 1;
    base::Duration deadline;
    std::function<void(model::Outcome)> done;
    std::optional<net::HttpClient::Handle> handle;  // once it is posted
  };

  void prepared(AttemptId id, base::Result<PreparedRequest> prepared);
  base::Result<net::Request> make_request(const Attempt& attempt, PreparedRequest& prepared) const;
  void finish(AttemptId id, model::Outcome outcome);

  net::Loop& loop_;
  net::HttpClient& client_;
  RequestSource source_;
  std::string user_agent_;
  base::FlatTable<std::unique_ptr<Attempt>, base::Placing::kByLowBits> attempts_;  // by id
  std::shared_ptr<bool> alive_;  // false for answers that come after the end
};

// A reply in the words of the model. `wall_clock` is for a Retry-After that is a date.
model::Outcome outcome_of(net::Reply reply, base::Instant wall_clock);

}  // namespace delivery
