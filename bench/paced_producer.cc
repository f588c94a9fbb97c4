#include "bench/paced_producer.h"

#include <memory>
#include <variant>
#include <vector>

#include "base/check.h"
#include "bench/payloads.h"
#include "bench/wrk.h"
#include "net/http_client.h"
#include "net/loop.h"
#include "net/url.h"

namespace bench {
namespace {

using base::Duration;

constexpr Duration kTick = Duration::ms(1);
constexpr Duration kAnswerWithin = Duration::seconds(30);
constexpr size_t kConnectionsMax = 256;
constexpr size_t kPayloads = 256;
constexpr uint16_t kAccepted = 202;

net::ClientOptions client_options() {
  net::ClientOptions options;
  options.guard.allow = {*net::Cidr::parse("127.0.0.0/8")};
  options.guard.any_port = true;
  options.pool.idle_per_key_max = kConnectionsMax;
  options.connections_max = kConnectionsMax;
  return options;
}

class Producer {
 public:
  Producer(const Served& server, const Pace& pace)
      : pace_(pace), client_(*net::HttpClient::make(loop_, client_options())) {
    request_.url = *net::parse_url(server.url("/v1/events"));
    for (const net::Header& header : producer_headers(server.key(), "application/json")) {
      if (header.name != "Accept") {  // the client brings its own
        request_.headers.add(header.name, header.value);
      }
    }
    request_.deadline = kAnswerWithin;
    request_.pool_owner = 1;
  }

  uint64_t run() {
    begin_ns_ = nanoseconds_now();
    tick();
    loop_.run();
    return sent_;
  }

 private:
  int64_t turn_ns(uint64_t number) const {
    return begin_ns_ + static_cast<int64_t>(static_cast<double>(number) / pace_.per_second * 1e9);
  }

  void tick() {
    const int64_t now = nanoseconds_now();
    const int64_t end = begin_ns_ + pace_.length.count_ms() * 1'000'000;
    while (turn_ns(sent_) <= now && turn_ns(sent_) < end && sent_ - answered_ < kConnectionsMax) {
      publish(turn_ns(sent_));
    }
    if (turn_ns(sent_) < end) {
      loop_.call_at(loop_.now() + kTick, [this] { tick(); });
      return;
    }
    is_over_ = true;
    stop_when_answered();
  }

  void publish(int64_t turn) {
    std::string event = event_of(sent_ % pace_.topics, payloads_[sent_ % payloads_.size()]);
    set_stamp(event, turn);
    net::Request request = request_;
    request.body = std::make_shared<const std::string>(std::move(event));
    sent_ += 1;
    client_->post(std::move(request), [this](const net::Reply& reply) {
      const auto* const response = std::get_if<net::Response>(&reply.ending);
      CHECK(response != nullptr);
      CHECK_EQ(response->head.status, kAccepted);
      answered_ += 1;
      stop_when_answered();
    });
  }

  void stop_when_answered() {
    if (is_over_ && answered_ == sent_) {
      loop_.stop();
    }
  }

  Pace pace_;
  net::Loop loop_;
  std::unique_ptr<net::HttpClient> client_;
  net::Request request_;
  std::vector<std::string> payloads_ = random_payloads(kPayloads);
  int64_t begin_ns_ = 0;
  uint64_t sent_ = 0;
  uint64_t answered_ = 0;
  bool is_over_ = false;
};

}  // namespace

uint64_t publish_at(const Served& server, const Pace& pace) { return Producer(server, pace).run(); }

}  // namespace bench
