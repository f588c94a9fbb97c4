// The whole server in one process: store, registry, dispatcher and API on one loop, and a thread
// that talks to receivers.
//
// It only puts the parts together, in the order in which they need each other, and takes them apart
// in reverse. A start that cannot succeed says why and leaves everything as it was.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/backend.h"
#include "api/tail.h"
#include "api/test_send.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "config/settings.h"
#include "delivery/dispatcher.h"
#include "delivery/intake.h"
#include "delivery/outbound_thread.h"
#include "delivery/outbound_transport.h"
#include "delivery/recent_events.h"
#include "http/server.h"
#include "match/subscription_index.h"
#include "net/address_guard.h"
#include "net/http_client.h"
#include "net/loop.h"
#include "observe/metrics.h"
#include "registry/registry.h"
#include "server/counted_transport.h"
#include "server/operational_events.h"
#include "server/request_source.h"
#include "store/engine.h"
#include "store/rocks_store.h"

namespace server {

// What there is to tell once the server listens.
struct Started {
  uint16_t port = 0;
  std::optional<registry::FirstStart> first_start;
};

class Server {
 public:
  using OnStarted = std::function<void(base::Result<Started>)>;

  // Opens the data directory. An error is for the operator's eyes.
  static base::Result<std::unique_ptr<Server>> open(const config::Settings& settings);
  ~Server();

  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  net::Loop& loop() { return loop_; }

  // Reads what is registered, takes over what is unfinished, then listens.
  void start(OnStarted done);

  // Takes nothing new, finishes what is under way within the limit, then stops the loop. Once.
  void drain();

  // Of these, what can change while the server runs; see config::reload().
  void take_over(const config::Settings& settings);

 private:
  // What must be there before the parts can be put together; opening any of it may fail.
  struct Foundation {
    config::Settings settings;
    std::unique_ptr<net::Loop> loop;            // outlives the engine, whose threads post to it
    std::unique_ptr<observe::Metrics> metrics;  // outlives the engine, which counts into it
    std::unique_ptr<store::Engine> engine;
    std::shared_ptr<const net::TlsRoots> roots;
    std::unique_ptr<net::HttpClient> client;  // for tests of subscriptions
    std::unique_ptr<delivery::OutboundThread> outbound;
    secrets::Envelope envelope;
    core::RetrySchedule schedule;
  };

  static base::Result<Foundation> lay(const config::Settings& settings);
  explicit Server(Foundation foundation);

  registry::Callbacks callbacks();
  void event_stored(base::Sequence sequence, const std::shared_ptr<const model::Event>& content,
                    const std::vector<model::Delivery>& deliveries);
  void erase_tenant(base::TenantId tenant, const registry::Done<void>& done);
  void acquire(OnStarted done, std::optional<registry::FirstStart> first_start);
  base::Result<uint16_t> listen();
  void collect_metrics();
  void retain_later();
  void stop_when_quiet(base::Instant until);

  Foundation foundation_;
  net::Loop& loop_;
  store::Engine& engine_;
  store::RocksStore store_;
  match::SubscriptionIndex index_;
  net::AddressGuard guard_;
  observe::Metrics& metrics_;
  delivery::RecentEvents recent_;
  registry::Registry registry_;
  api::Tail tail_;
  RequestSource source_;
  delivery::OutboundTransport transport_;
  CountedTransport counted_transport_;
  delivery::Dispatcher dispatcher_;
  delivery::Intake intake_;
  api::TestSender tester_;
  api::Backend backend_;
  OperationalEvents operational_;
  std::unique_ptr<http::Server> http_;
  bool are_clients_gone_ = false;  // while draining: every request has been answered
};

}  // namespace server
