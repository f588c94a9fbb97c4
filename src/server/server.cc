#include "server/server.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "api/site.h"
#include "observe/log.h"
#include "secrets/secret_bytes.h"
#include "server/collectors.h"
#include "server/notify.h"

namespace server {
namespace {

using observe::Level;
using observe::log;

constexpr size_t kRecentBytesMax = size_t{64} * 1024 * 1024;
constexpr base::Duration kQuietCheckInterval = base::Duration::ms(20);

base::Result<std::shared_ptr<const net::TlsRoots>> read_roots(const std::string& ca_file) {
  if (ca_file.empty()) {
    return net::TlsRoots::system();
  }
  std::ifstream file(ca_file);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) {
    return base::fail(base::ErrorCode::kIo, "the certificates in " + ca_file + " cannot be read");
  }
  return net::TlsRoots::from_pem(text.str());
}

std::vector<base::ShardId> every_shard() {
  std::vector<base::ShardId> shards(base::kShardCount);
  std::iota(shards.begin(), shards.end(), base::ShardId{0});
  return shards;
}

uint64_t random_seed() {
  const secrets::SecretBytes bytes = secrets::SecretBytes::random(sizeof(uint64_t));
  uint64_t seed = 0;
  std::memcpy(&seed, bytes.bytes().data(), sizeof seed);
  return seed;
}

registry::Options registry_options(const config::Settings& settings) {
  return {.retry = settings.core.retry,
          .failed_tries = {.tries_max = settings.keys.failed_tries_max,
                           .period = settings.keys.failed_tries_period}};
}

api::TailOptions tail_options(const config::Settings& settings) {
  return {.streams_max = settings.stream.streams_max,
          .streams_per_tenant_max = settings.stream.per_tenant_max,
          .heartbeat = settings.stream.heartbeat};
}

// Nothing is known of a disk that does not tell; then only age counts.
uint64_t disk_bytes(const std::string& directory) {
  std::error_code error;
  const auto space = std::filesystem::space(directory, error);
  return error ? 0 : space.capacity;
}

// What the engine tells of its times goes into a histogram.
std::function<void(std::chrono::nanoseconds)> observes(observe::Metrics& metrics,
                                                       observe::Metric metric) {
  return [&metrics, metric](std::chrono::nanoseconds took) {
    metrics.observe(metric, std::chrono::duration<double>(took).count());
  };
}

std::string user_agent() { return std::string("Postrider/") + POSTRIDER_VERSION; }

}  // namespace

base::Result<Server::Foundation> Server::lay(const config::Settings& wanted) {
  config::Settings settings = wanted;
  TRY(core::RetrySchedule schedule, core::check_options(settings.core));
  auto metrics = std::make_unique<observe::Metrics>();
  settings.store.on_commit = observes(*metrics, observe::Metric::kCommitSeconds);
  settings.store.on_sync = observes(*metrics, observe::Metric::kSyncSeconds);
  TRY(auto engine, store::Engine::open(settings.store));
  TRY(secrets::MasterKeys keys,
      registry::find_master_keys(settings.store.directory, settings.keys.master_key_file));
  TRY(auto roots, read_roots(settings.ca_file));
  TRY(settings.client.tls, net::TlsIdentity::make(*roots));
  auto& own = settings.client.guard.own_addresses;
  std::ranges::copy(net::own_addresses(), std::back_inserter(own));
  auto loop = std::make_unique<net::Loop>(engine->last_committed());
  TRY(auto client, net::HttpClient::make(*loop, settings.client));
  TRY(auto outbound, delivery::OutboundThread::make(settings.client, user_agent()));
  return Foundation{.settings = std::move(settings),
                    .loop = std::move(loop),
                    .metrics = std::move(metrics),
                    .engine = std::move(engine),
                    .roots = std::move(roots),
                    .client = std::move(client),
                    .outbound = std::move(outbound),
                    .envelope = secrets::Envelope(std::move(keys)),
                    .schedule = std::move(schedule)};
}

base::Result<std::unique_ptr<Server>> Server::open(const config::Settings& settings) {
  TRY(Foundation foundation, lay(settings));
  return std::unique_ptr<Server>(new Server(std::move(foundation)));
}

Server::Server(Foundation foundation)
    : foundation_(std::move(foundation)),
      loop_(*foundation_.loop),
      engine_(*foundation_.engine),
      store_(engine_, loop_),
      guard_(foundation_.settings.client.guard),
      metrics_(*foundation_.metrics),
      recent_(kRecentBytesMax),
      registry_(registry_options(foundation_.settings),
                {.scheduler = loop_,
                 .store = store_,
                 .index = index_,
                 .guard = guard_,
                 .roots = foundation_.roots,
                 .envelope = std::move(foundation_.envelope),
                 .callbacks = callbacks()}),
      tail_(tail_options(foundation_.settings), {.scheduler = loop_,
                                                 .recent = recent_,
                                                 .circuit = foundation_.settings.core.circuit,
                                                 .may_read =
                                                     [this](const registry::Caller& caller) {
                                                       return registry_.still_lets_in(caller);
                                                     }}),
      source_(registry_, store_, recent_, random_seed()),
      transport_(loop_, *foundation_.outbound,
                 [this](const delivery::AttemptRequest& request, delivery::PrepareDone done) {
                   source_.prepare(request, std::move(done));
                 }),
      counted_transport_(transport_, metrics_, loop_),
      dispatcher_(
          foundation_.settings.core,
          {.scheduler = loop_,
           .store = store_,
           .transport = counted_transport_,
           .expand =
               [this](const model::OperationalEvent& event) { return operational_.expand(event); },
           .watch = {},
           .durable = [this](const model::Section& section) { tail_.section_durable(section); }}),
      intake_(
          foundation_.settings.intake,
          {.schedule = foundation_.schedule,
           .scheduler = loop_,
           .store = store_,
           .dispatcher = dispatcher_,
           .stored =
               [this](base::Sequence sequence, const std::shared_ptr<const model::Event>& content,
                      const std::vector<model::Delivery>& deliveries) {
                 event_stored(sequence, content, deliveries);
               }}),
      tester_(loop_, *foundation_.client, registry_, user_agent()),
      backend_{.loop = loop_,
               .engine = engine_,
               .store = store_,
               .registry = registry_,
               .index = index_,
               .intake = intake_,
               .dispatcher = dispatcher_,
               .metrics = metrics_,
               .tail = tail_,
               .core_options = foundation_.settings.core,
               .schedule = foundation_.schedule,
               .tester = &tester_,
               .event_id_seed = random_seed()},
      operational_({.index = index_,
                    .subscriptions = registry_.subscriptions(),
                    .intake = intake_,
                    .next_event_id = [this] { return backend_.next_event_id(); }}) {}

Server::~Server() = default;

registry::Callbacks Server::callbacks() {
  return {.settings =
              [this](const model::SubscriptionSettings& settings) {
                dispatcher_.subscription_changed(settings);
              },
          .removed = [this](base::SubscriptionId id) { dispatcher_.subscription_removed(id); },
          .erase_tenant = [this](base::TenantId tenant,
                                 const registry::Done<void>& done) { erase_tenant(tenant, done); }};
}

void Server::event_stored(base::Sequence sequence,
                          const std::shared_ptr<const model::Event>& content,
                          const std::vector<model::Delivery>& deliveries) {
  if (!deliveries.empty()) {
    recent_.add(sequence, content);
  }
  tail_.event_stored(sequence, content, deliveries);
}

void Server::erase_tenant(base::TenantId tenant, const registry::Done<void>& done) {
  engine_.erase_tenant(tenant, [this, done](const base::Result<store::EraseResult>& result) {
    loop_.post([done, error = result.has_value() ? std::optional<base::Error>() : result.error()] {
      done(error.has_value() ? base::Result<void>(std::unexpected(*error)) : base::Result<void>());
    });
  });
}

void Server::start(OnStarted done) {
  registry_.load([this, done = std::move(done)](const base::Result<void>& loaded) {
    if (!loaded.has_value()) {
      done(std::unexpected(loaded.error()));
      return;
    }
    registry_.bootstrap(foundation_.settings.store.directory,
                        [this, done](base::Result<std::optional<registry::FirstStart>> first) {
                          if (!first.has_value()) {
                            done(std::unexpected(first.error()));
                            return;
                          }
                          acquire(done, *std::move(first));
                        });
  });
}

void Server::acquire(OnStarted done, std::optional<registry::FirstStart> first_start) {
  // Callbacks are copied; the secret in it is not.
  auto first = std::make_shared<std::optional<registry::FirstStart>>(std::move(first_start));
  dispatcher_.acquire(every_shard(), [this, done = std::move(done), first] {
    const base::Result<uint16_t> port = listen();
    if (!port.has_value()) {
      done(std::unexpected(port.error()));
      return;
    }
    retain_later();
    done(Started{.port = *port, .first_start = std::move(*first)});
  });
}

base::Result<uint16_t> Server::listen() {
  http::ServerOptions options = foundation_.settings.http;
  options.limits.body_bytes_max = api::body_bytes_max;
  options.request_id_seed = random_seed();
  TRY(http_,
      http::Server::listen(loop_, foundation_.settings.listen, options, api::make_site(backend_)));
  collect_metrics();
  return http_->port();
}

void Server::collect_metrics() {
  metrics_.set(observe::Metric::kStartTime, static_cast<double>(loop_.wall_clock().ms()) / 1000);
  metrics_.add_collector(observe::collect_process);
  metrics_.add_collector([this](observe::Metrics& metrics) {
    collect_store(metrics, engine_);
    collect_account(metrics, api::take_account(backend_));
    collect_deliveries(metrics, dispatcher_, loop_.now());
    collect_connections(metrics, *http_, *foundation_.outbound);
    collect_streams(metrics, tail_);
  });
}

void Server::retain_later() {
  loop_.call_at(loop_.now() + foundation_.settings.retention.interval, [this] {
    const config::RetentionSettings& retention = foundation_.settings.retention;
    const store::RetentionLimits limits{
        .before = loop_.now() - retention.age,
        .bytes_max =
            config::retention_bytes(retention, disk_bytes(foundation_.settings.store.directory))};
    engine_.retain(limits, [this](const base::Result<store::RetentionResult>& result) {
      if (!result.has_value()) {
        log(Level::kWarn, "retention did not finish; it is tried again",
            {{"reason", result.error().detail}});
      }
      loop_.post([this] { retain_later(); });
    });
  });
}

void Server::take_over(const config::Settings& settings) {
  foundation_.settings.retention = settings.retention;
  foundation_.settings.drain_limit = settings.drain_limit;
}

void Server::drain() {
  if (backend_.is_draining) {
    return;
  }
  backend_.is_draining = true;
  notify_system("STOPPING=1");
  const base::Duration limit = foundation_.settings.drain_limit;
  log(Level::kInfo, "the server is stopping", {{"limit_ms", limit.count_ms()}});
  dispatcher_.drain();
  if (http_ != nullptr) {
    http_->drain(limit, [this] { are_clients_gone_ = true; });
  } else {
    are_clients_gone_ = true;
  }
  stop_when_quiet(loop_.now() + limit);
}

void Server::stop_when_quiet(base::Instant until) {
  const bool is_quiet = are_clients_gone_ && intake_.is_quiet() && dispatcher_.is_quiet() &&
                        dispatcher_.core().unfinished().in_flight == 0;
  if (is_quiet || loop_.now() >= until) {
    log(Level::kInfo, "the server has stopped", {{"finished", is_quiet}});
    loop_.stop();
    return;
  }
  loop_.call_at(loop_.now() + kQuietCheckInterval, [this, until] { stop_when_quiet(until); });
}

}  // namespace server
