#include "bench/isolation_world.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "core/delivery_core.h"
#include "delivery/dispatcher.h"
#include "delivery/http_transport.h"
#include "delivery/intake.h"
#include "net/loop.h"
#include "sim/sim_store.h"

namespace bench {
namespace {

using base::Duration;
using Clock = std::chrono::steady_clock;

constexpr base::EndpointId kHealthy = base::EndpointId::make(7, 1);
constexpr base::TenantId kHealthyTenant{1};
constexpr Duration kTick = Duration::ms(1);
// A thousand events a second for the healthy endpoint, half as many for all its neighbours: more
// than the core lets out to endpoints that fail, so that they always fill their share.
constexpr uint64_t kNeighboursEvery = 2;
constexpr uint32_t kBacklog = 64;  // when the healthy endpoint gets all it can take
constexpr size_t kBodyBytes = 1024;
constexpr uint64_t kTenants = 100;
constexpr Duration kSettle = Duration::seconds(1);
constexpr Duration kSettleBeside = Duration::seconds(7);  // the first deadlines have passed
constexpr Duration kMeasure = Duration::seconds(3);

// The rules that would relieve us of the black holes are off; everything else is the default.
core::Options options() {
  core::Options options;
  options.circuit.rate_percent = 100;
  options.circuit.consecutive_to_disable = 0;
  options.circuit.consecutive_to_freeze = UINT32_MAX;
  options.circuit.consecutive_limit = UINT32_MAX;
  return options;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double percentile(std::vector<double>& sorted, double share) {
  CHECK(!sorted.empty());
  const auto last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<size_t>(last * share)];
}

class World {
 public:
  explicit World(const Case& which);

  Figures run();

 private:
  // Between dispatcher and HTTP: notes when attempts at the healthy endpoint ended.
  class Stopwatch : public delivery::Transport {
   public:
    Stopwatch(delivery::Transport& inner, World& world) : inner_(inner), world_(world) {}

    void send(const delivery::AttemptRequest& request,
              std::function<void(model::Outcome)> done) override {
      if (request.delivery.endpoint != kHealthy) {
        world_.neighbours_in_flight_ += 1;
        inner_.send(request, [this, done = std::move(done)](model::Outcome outcome) {
          world_.neighbours_in_flight_ -= 1;
          done(std::move(outcome));
        });
        return;
      }
      inner_.send(request, [this, event = request.delivery.event,
                            done = std::move(done)](model::Outcome outcome) {
        world_.healthy_ended(event, outcome);
        done(std::move(outcome));
      });
    }
    void abandon(delivery::AttemptId attempt) override { inner_.abandon(attempt); }

   private:
    delivery::Transport& inner_;
    World& world_;
  };

  std::string url_of(base::EndpointId endpoint) const;
  delivery::PreparedRequest prepare(const delivery::AttemptRequest& request);
  void start();
  void tick();
  void publish_healthy();
  void publish_to_neighbour();
  void publish(base::EndpointId endpoint, base::TenantId tenant);
  void healthy_ended(base::EventId event, const model::Outcome& outcome);
  void run_for(Duration time);

  Case case_;
  std::shared_ptr<const std::string> body_ = std::make_shared<std::string>(kBodyBytes, 'x');
  std::unordered_map<uint64_t, net::Url> urls_;  // by endpoint
  net::Loop loop_;
  sim::SimStore store_{{.seed = 1, .keep_ended = false}, {}};
  core::RetrySchedule schedule_;
  std::unique_ptr<net::HttpClient> client_;
  delivery::HttpTransport http_;
  Stopwatch stopwatch_;
  delivery::Dispatcher dispatcher_;
  delivery::Intake intake_;

  uint64_t ticks_ = 0;
  uint64_t last_event_ = 0;
  uint64_t neighbours_in_flight_ = 0;
  uint64_t next_neighbour_ = 0;
  bool is_ready_ = false;
  bool wants_backlog_ = false;  // instead of a steady rate
  bool is_measuring_ = false;
  uint64_t delivered_ = 0;
  uint64_t failures_ = 0;
  std::vector<Clock::time_point> published_;  // by event
  std::vector<double> latencies_;             // in microseconds
};

net::ClientOptions client_options() {
  net::ClientOptions options;
  options.guard.allow = {*net::Cidr::parse("127.0.0.0/8"), *net::Cidr::parse("10.0.0.0/8")};
  options.guard.any_port = true;
  return options;
}

World::World(const Case& which)
    : case_(which),
      schedule_(core::check_options(options()).value()),
      client_(net::HttpClient::make(loop_, client_options()).value()),
      http_(
          loop_, *client_,
          [this](const delivery::AttemptRequest& request, const delivery::PrepareDone& done) {
            done(prepare(request));
          },
          "Postrider/bench"),
      stopwatch_(http_, *this),
      dispatcher_(options(), {.scheduler = loop_,
                              .store = store_,
                              .transport = stopwatch_,
                              .expand =
                                  [](const model::OperationalEvent&) {
                                    return std::optional<model::Publish>();
                                  }}),
      intake_(
          {.publishes_max = UINT32_MAX},
          {.schedule = schedule_, .scheduler = loop_, .store = store_, .dispatcher = dispatcher_}) {
  store_.attach(loop_);
}

delivery::PreparedRequest World::prepare(const delivery::AttemptRequest& request) {
  const base::EndpointId endpoint = request.delivery.endpoint;
  auto known = urls_.find(endpoint.value);
  if (known == urls_.end()) {
    known = urls_.emplace(endpoint.value, net::parse_url(url_of(endpoint)).value()).first;
  }
  delivery::PreparedRequest prepared;
  prepared.url = known->second;
  prepared.body = body_;
  prepared.webhook_id = "msg_" + std::to_string(request.delivery.id.value);
  prepared.pool_owner = endpoint.value;
  return prepared;
}

std::string World::url_of(base::EndpointId endpoint) const {
  if (endpoint == kHealthy) {
    return "http://127.0.0.1:" + std::to_string(case_.answering_port) + "/";
  }
  // An address for each, so that nothing is shared between them.
  const uint64_t number = endpoint.value & 0xffffU;
  const std::string low = std::to_string(number / 250) + "." + std::to_string(number % 250 + 1);
  if (case_.neighbours == Neighbours::kSilent) {
    return "http://127.1." + low + ":" + std::to_string(case_.silent_port) + "/";
  }
  return "http://10.1." + low + "/";
}

void World::start() {
  std::vector<base::ShardId> shards(base::kShardCount);
  std::iota(shards.begin(), shards.end(), base::ShardId{0});
  dispatcher_.acquire(std::move(shards), [this] { is_ready_ = true; });
  CHECK(loop_.run_until([this] { return is_ready_; }, Duration::seconds(5)));
  tick();
}

void World::tick() {
  ticks_ += 1;
  if (!wants_backlog_) {
    publish_healthy();
  }
  if (case_.neighbours != Neighbours::kNone && ticks_ % kNeighboursEvery == 0) {
    publish_to_neighbour();
  }
  loop_.call_at(loop_.now() + kTick, [this] { tick(); });
}

void World::publish_healthy() { publish(kHealthy, kHealthyTenant); }

void World::publish_to_neighbour() {
  const uint64_t number = next_neighbour_++ % case_.endpoints;
  publish(base::EndpointId::make(static_cast<base::ShardId>(base::mix(number)), 1000 + number),
          {2 + number % kTenants});
}

void World::publish(base::EndpointId endpoint, base::TenantId tenant) {
  const uint64_t event = ++last_event_;
  published_.push_back(Clock::now());
  intake_.publish({.id = {event}, .tenant = tenant, .object = {}},
                  {{.id = {endpoint.value}, .endpoint = endpoint}},
                  [](const delivery::Intake::Accepted& accepted) { CHECK(accepted.has_value()); });
}

void World::healthy_ended(base::EventId event, const model::Outcome& outcome) {
  if (is_measuring_) {
    const std::chrono::duration<double, std::micro> took =
        Clock::now() - published_[event.value - 1];
    latencies_.push_back(took.count());
    delivered_ += model::is_success(outcome) ? 1 : 0;
    failures_ += model::is_success(outcome) ? 0 : 1;
  }
  if (wants_backlog_) {
    publish_healthy();
  }
}

void World::run_for(Duration time) {
  loop_.call_at(loop_.now() + time, [this] { loop_.stop(); });
  loop_.run();
}

Figures World::run() {
  start();
  run_for(case_.neighbours == Neighbours::kNone ? kSettle : kSettleBeside);
  Figures figures;
  is_measuring_ = true;
  const double cpu_at_rate = cpu_seconds();
  run_for(kMeasure);
  figures.core_share =
      (cpu_seconds() - cpu_at_rate) * 1000 / static_cast<double>(kMeasure.count_ms());
  std::ranges::sort(latencies_);
  figures.p50_us = percentile(latencies_, 0.50);
  figures.p99_us = percentile(latencies_, 0.99);

  wants_backlog_ = true;
  for (uint32_t count = 0; count < kBacklog; ++count) {
    publish_healthy();
  }
  run_for(kSettle);
  delivered_ = 0;
  const auto begin = Clock::now();
  const double cpu_at_begin = cpu_seconds();
  run_for(kMeasure);
  const std::chrono::duration<double> took = Clock::now() - begin;
  figures.per_cpu_second = static_cast<double>(delivered_) / (cpu_seconds() - cpu_at_begin);
  figures.per_second = static_cast<double>(delivered_) / took.count();
  figures.neighbours_in_flight = neighbours_in_flight_;
  figures.failures = failures_;
  return figures;
}

}  // namespace

Figures measure(const Case& which) { return std::make_unique<World>(which)->run(); }

}  // namespace bench
