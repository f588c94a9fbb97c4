// The API as its clients see it, over a socket, on a real store; only receivers are made up. What
// is not HTTP (time, attempts) is as fast as the machine.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/backend.h"
#include "api/site.h"
#include "api/tail.h"
#include "base/check.h"
#include "delivery/recent_events.h"
#include "delivery/transport.h"
#include "http/server.h"
#include "match/json.h"
#include "observe/metrics.h"
#include "registry/registry.h"
#include "store/upkeep_rig.h"
#include "tests/http/raw_client.h"
#include "text/id_text.h"

namespace api {

// Answers every attempt with what the test has chosen, or keeps it in flight.
class ChosenOutcomes final : public delivery::Transport {
 public:
  explicit ChosenOutcomes(base::Scheduler& scheduler) : scheduler_(scheduler) {}

  void send(const delivery::AttemptRequest& request,
            std::function<void(model::Outcome)> done) override {
    attempts += 1;
    if (keeps_in_flight) {
      kept_[request.id] = std::move(done);
      return;
    }
    scheduler_.post([done = std::move(done), outcome = outcome] { done(outcome); });
  }
  void abandon(delivery::AttemptId attempt) override { kept_.erase(attempt); }

  void finish_kept() {
    for (auto& attempt : std::exchange(kept_, {})) {
      scheduler_.post([done = std::move(attempt.second), outcome = outcome] { done(outcome); });
    }
  }
  size_t kept() const { return kept_.size(); }

  model::Outcome outcome{.status = 200};
  bool keeps_in_flight = false;
  int attempts = 0;

 private:
  base::Scheduler& scheduler_;
  std::map<delivery::AttemptId, std::function<void(model::Outcome)>> kept_;
};

struct ApiAnswer {
  int status = 0;
  std::string text;
};

class ApiRig : public ::testing::Test {
 protected:
  static constexpr base::Duration kPatience = base::Duration::seconds(30);
  static constexpr size_t kRecentBytesMax = size_t{1} << 20U;

  explicit ApiRig(const TailOptions& tail = {})
      : root_(store::rig_root()),
        engine_(open_engine(root_)),
        loop_(engine_->last_committed()),
        store_(*engine_, loop_),
        guard_({}),
        registry_({}, registry_parts()),
        transport_(loop_),
        schedule_(core::RetrySchedule::make({}).value()),
        recent_(kRecentBytesMax),
        tail_(tail, {.scheduler = loop_,
                     .recent = recent_,
                     .circuit = core_options_.circuit,
                     .may_read =
                         [this](const registry::Caller& caller) {
                           return registry_.still_lets_in(caller);
                         }}),
        dispatcher_({},
                    {.scheduler = loop_,
                     .store = store_,
                     .transport = transport_,
                     .expand = [](const model::OperationalEvent&) { return std::nullopt; },
                     .watch = {},
                     .durable = [this](const model::Section& it) { tail_.section_durable(it); }}),
        intake_({}, {.schedule = schedule_,
                     .scheduler = loop_,
                     .store = store_,
                     .dispatcher = dispatcher_,
                     .stored =
                         [this](auto sequence, const auto& content, const auto& deliveries) {
                           recent_.add(sequence, content);
                           tail_.event_stored(sequence, content, deliveries);
                         }}),
        backend_{.loop = loop_,
                 .engine = *engine_,
                 .store = store_,
                 .registry = registry_,
                 .index = index_,
                 .intake = intake_,
                 .dispatcher = dispatcher_,
                 .metrics = metrics_,
                 .tail = tail_,
                 .core_options = core_options_,
                 .schedule = schedule_,
                 .event_id_seed = 1} {
    start();
  }
  ~ApiRig() override {
    server_.reset();
    engine_.reset();
    std::filesystem::remove_all(root_);
  }

  bool wait_until(const std::function<bool()>& condition) {
    return loop_.run_until(condition, kPatience);
  }

  ApiAnswer get(const std::string& path) { return call("GET", path, ""); }
  ApiAnswer post(const std::string& path, const std::string& body = "") {
    return call("POST", path, body);
  }
  // Acts in the tenant of the first start, or in the one chosen here.
  void act_in(base::TenantId tenant) { tenant_ = tenant; }

  // `line` is "GET /path"; each of the headers ends with CR LF.
  ApiAnswer send(const std::string& line, const std::string& headers, const std::string& body) {
    http::RawClient client(server_->port());
    std::string request = line + " HTTP/1.1\r\nHost: postrider\r\n" + headers;
    if (!body.empty()) {
      request += "Content-Type: application/json\r\n";
    }
    request += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    CHECK(client.send(request));
    const bool is_answered = wait_until([&] {
      client.receive();
      return !http::parse_answers(client.received()).empty();
    });
    CHECK(is_answered);
    const http::RawAnswer answer = http::parse_answers(client.received()).front();
    return {.status = answer.status, .text = answer.body};
  }

  ApiAnswer call(const std::string& method, const std::string& path, const std::string& body) {
    return send(method + " " + path,
                "Authorization: Bearer " + admin_key_ + "\r\n" +
                    "Postrider-Tenant: " + text::id_text(tenant_) + "\r\n",
                body);
  }
  // With somebody else's key, in the tenant of that key.
  ApiAnswer call_as(const std::string& key, const std::string& method, const std::string& path,
                    const std::string& body) {
    return send(method + " " + path, "Authorization: Bearer " + key + "\r\n", body);
  }

  // A request up to its first own header, by the admin or with this key.
  std::string begin_request(const std::string& method, const std::string& path,
                            const std::string& key = "") const {
    return method + " " + path + " HTTP/1.1\r\nHost: postrider\r\n" + "Authorization: Bearer " +
           (key.empty() ? admin_key_ : key) + "\r\n" +
           "Postrider-Tenant: " + text::id_text(tenant_) + "\r\n";
  }

  // The value in an answer, which is JSON: "deliveries", "0", "state". Valid until the next.
  match::JsonValue in(const ApiAnswer& answer, const std::vector<std::string>& path) {
    const auto root = parser_.parse(answer.text);
    CHECK(root.has_value());
    match::JsonValue value = *root;
    for (const std::string& step : path) {
      value = value.kind() == match::JsonKind::kArray ? element(value, std::stoul(step))
                                                      : value.find(step);
    }
    return value;
  }
  std::string text_in(const ApiAnswer& answer, const std::vector<std::string>& path) {
    const match::JsonValue value = in(answer, path);
    return value.kind() == match::JsonKind::kString ? std::string(value.as_string())
                                                    : std::string("(no text)");
  }
  size_t size_of(const ApiAnswer& answer, const std::vector<std::string>& path) {
    return in(answer, path).size();
  }

  base::SubscriptionId subscribe(const std::string& url) {
    std::optional<base::SubscriptionId> made;
    const std::string body = R"({"url": ")" + url + R"("})";
    match::JsonParser parser;
    registry_.subscriptions().create(tenant_, parser.parse(body).value(), [&](auto created) {
      ASSERT_TRUE(created.has_value()) << created.error().detail;
      made = created->subscription.id;
    });
    CHECK(wait_until([&] { return made.has_value(); }));
    return *made;
  }

  // Publishes and returns the id of the first delivery.
  std::string publish(const std::string& event = R"({"type": "order.paid", "payload": {"n": 1}})") {
    const ApiAnswer answer = post("/v1/events", event);
    CHECK_EQ(answer.status, 202);
    return text_in(answer, {"deliveries", "0", "id"});
  }
  // Stores an event with a delivery that the core is not told of, as if it had lost it.
  void store_untold() {
    const base::Instant now = loop_.now();
    const base::EventId event = backend_.next_event_id();
    model::Delivery delivery;
    delivery.event = event;
    delivery.endpoint = base::EndpointId::make(base::ShardId{0}, 1);
    delivery.tenant = tenant_;
    delivery.queued_at = now;
    delivery.due = now;
    delivery.last_slot = now + base::Duration::hours(48);
    auto content = std::make_shared<model::Event>();
    content->tenant = tenant_;
    content->type = "order.paid";
    store::Batch batch;
    batch.publishes.push_back({.event = event,
                               .tenant = tenant_,
                               .queued_at = now,
                               .deliveries = {delivery},
                               .content = std::move(content),
                               .unique_key = {}});
    bool is_stored = false;
    store_.commit(now, std::move(batch),
                  [&is_stored](const store::BatchResult&) { is_stored = true; });
    CHECK(wait_until([&] { return is_stored; }));
  }
  // Until the delivery is shown in this state.
  bool wait_for_state(const std::string& delivery, const std::string& state) {
    for (int tries = 0; tries < 200; ++tries) {
      if (text_in(get("/v1/deliveries/" + delivery), {"state"}) == state) {
        return true;
      }
    }
    return false;
  }

  base::TenantId make_tenant(const std::string& name) {
    std::optional<base::TenantId> made;
    registry_.tenants().create(name, [&](auto created) {
      CHECK(created.has_value());
      made = created->id;
    });
    CHECK(wait_until([&] { return made.has_value(); }));
    return *made;
  }

  ChosenOutcomes& receivers() { return transport_; }
  Tail& tail() { return tail_; }
  http::Server& server() { return *server_; }
  base::TenantId tenant() const { return tenant_; }

 private:
  static std::unique_ptr<store::Engine> open_engine(const std::filesystem::path& root) {
    auto engine = store::Engine::open({.directory = root.string(),
                                       .sync = false,
                                       .block_cache_bytes = 8ULL << 20U,
                                       .write_buffer_bytes = 4ULL << 20U,
                                       .reserve_bytes = 1});
    CHECK(engine.has_value());
    return *std::move(engine);
  }

  registry::Parts registry_parts() {
    return {
        .scheduler = loop_,
        .store = store_,
        .index = index_,
        .guard = guard_,
        .roots = net::TlsRoots::system().value(),
        .envelope = secrets::Envelope(registry::find_master_keys(root_.string(), "").value()),
        .callbacks = {
            .settings =
                [this](const model::SubscriptionSettings& settings) {
                  dispatcher_.subscription_changed(settings);
                },
            .removed = [this](base::SubscriptionId id) { dispatcher_.subscription_removed(id); },
            .erase_tenant = [](base::TenantId, const registry::Done<void>& done) { done({}); }}};
  }

  void start() {
    bool is_ready = false;
    registry_.load([&](const base::Result<void>& loaded) {
      CHECK(loaded.has_value());
      registry_.bootstrap(root_.string(), [&](auto first) {
        CHECK(first.has_value() && first->has_value());
        tenant_ = (**first).tenant;
        admin_key_ = std::string((**first).admin_key.text());
        std::vector<base::ShardId> shards(base::kShardCount);
        std::iota(shards.begin(), shards.end(), base::ShardId{0});
        dispatcher_.acquire(shards, [&] { is_ready = true; });
      });
    });
    CHECK(wait_until([&] { return is_ready; }));
    http::ServerOptions options;
    options.limits.body_bytes_max = body_bytes_max;
    const net::SocketAddress address{.address = net::Address::v4(0x7f000001), .port = 0};
    server_ = *http::Server::listen(loop_, address, options, make_site(backend_));
  }

  static match::JsonValue element(match::JsonValue list, size_t index) {
    for (const match::JsonValue element : list.elements()) {
      if (index-- == 0) {
        return element;
      }
    }
    return {};
  }

  std::filesystem::path root_;
  std::unique_ptr<store::Engine> engine_;
  net::Loop loop_;
  store::RocksStore store_;
  match::SubscriptionIndex index_;
  net::AddressGuard guard_;
  registry::Registry registry_;
  ChosenOutcomes transport_;
  core::Options core_options_;
  core::RetrySchedule schedule_;
  delivery::RecentEvents recent_;
  Tail tail_;
  delivery::Dispatcher dispatcher_;
  delivery::Intake intake_;
  observe::Metrics metrics_;
  Backend backend_;
  std::unique_ptr<http::Server> server_;
  base::TenantId tenant_;
  std::string admin_key_;
  match::JsonParser parser_;
};

}  // namespace api
