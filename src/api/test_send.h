// POST /v1/subscriptions/{id}/test: one attempt with a made-up event, so that its owner sees at
// once whether his receiver gets it and can verify it.
//
// It goes the way of every attempt (URL, signature, credentials, address guard, deadline), but
// outside queue and counters: it is stored nowhere, and no circuit hears of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "api/call.h"
#include "base/time.h"
#include "delivery/http_transport.h"
#include "model/outcome.h"
#include "net/http_client.h"
#include "net/loop.h"
#include "registry/registry.h"

namespace api {

class TestSender {
 public:
  static constexpr uint32_t kAtOnceMax = 64;

  TestSender(net::Loop& loop, net::HttpClient& client, registry::Registry& registry,
             std::string user_agent);

  bool is_busy() const { return under_way_ >= kAtOnceMax; }
  void send(const registry::Subscription& subscription, base::Duration deadline,
            std::function<void(model::Outcome)> done);

 private:
  void prepare(const delivery::AttemptRequest& request, const delivery::PrepareDone& done);

  registry::Registry& registry_;
  delivery::HttpTransport transport_;
  uint64_t last_ = 0;
  uint32_t under_way_ = 0;
};

// 409 when the endpoint is frozen or paused.
void test_subscription(Backend& backend, Call& call);

}  // namespace api
