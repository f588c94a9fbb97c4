#include "delivery/outbound_transport.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "net/test_receiver.h"

namespace delivery {
namespace {

using base::Duration;
using model::Outcome;
using net::Act;
using net::TestRequest;

constexpr Duration kPatience = Duration::seconds(20);

class OutboundTransportTest : public testing::Test {
 protected:
  OutboundTransportTest() {
    net::ClientOptions options;
    options.guard.allow = {*net::Cidr::parse("127.0.0.0/8")};
    options.guard.any_port = true;
    options.resolver.servers = {"127.0.0.1:1"};
    thread_ = *OutboundThread::make(options, "Postrider/test");
    transport_ = std::make_unique<OutboundTransport>(
        loop_, *thread_,
        [this](const AttemptRequest& request, const PrepareDone& done) { source_(request, done); });
  }

  PreparedRequest request() const {
    PreparedRequest prepared;
    prepared.url = *net::parse_url(receiver_.url());
    prepared.body = std::make_shared<const std::string>("{\"n\":1}");
    prepared.webhook_id = "evt_1";
    return prepared;
  }
  AttemptRequest attempt(uint64_t id) const {
    return {.id = static_cast<AttemptId>(id), .delivery = {}, .deadline = Duration::seconds(5)};
  }
  // Every outcome, in the order in which it came.
  void send(uint64_t id) {
    transport_->send(attempt(id), [this, id](Outcome outcome) {
      EXPECT_EQ(std::this_thread::get_id(), home_);
      ended_.push_back(id);
      outcomes_.push_back(std::move(outcome));
    });
  }
  bool wait_for(size_t count) {
    return loop_.run_until([&] { return ended_.size() >= count; }, kPatience);
  }

  // The other thread counts them, and does not wake this one to say so.
  bool wait_for_closed_connections() {
    const auto is_closed = [this] { return thread_->open_connections() == 0; };
    const base::Instant end = loop_.now() + kPatience;
    while (!is_closed() && loop_.now() < end) {
      loop_.run_until(is_closed, Duration::ms(5));
    }
    return is_closed();
  }

  const std::thread::id home_ = std::this_thread::get_id();
  net::Loop loop_;
  net::TestReceiver receiver_{loop_};
  std::function<void(const AttemptRequest&, const PrepareDone&)> source_ =
      [this](const AttemptRequest&, const PrepareDone& done) { done(request()); };
  std::unique_ptr<OutboundThread> thread_;
  std::unique_ptr<OutboundTransport> transport_;
  std::vector<uint64_t> ended_;
  std::vector<Outcome> outcomes_;
};

TEST_F(OutboundTransportTest, OutcomesAreToldWhereTheAttemptsWereSent) {
  send(1);
  EXPECT_TRUE(ended_.empty()) << "done ran inside the call";
  ASSERT_TRUE(wait_for(1));
  EXPECT_TRUE(is_success(outcomes_[0]));
  EXPECT_EQ(receiver_.requests.size(), 1U);
  EXPECT_GE(thread_->open_connections(), 1U);
}

TEST_F(OutboundTransportTest, EachOfManyAttemptsEndsOnce) {
  constexpr uint64_t kCount = 200;
  for (uint64_t id = 1; id <= kCount; ++id) {
    send(id);
  }
  ASSERT_TRUE(wait_for(kCount));
  std::ranges::sort(ended_);
  for (uint64_t id = 1; id <= kCount; ++id) {
    EXPECT_EQ(ended_[id - 1], id);
  }
  EXPECT_EQ(receiver_.requests.size(), kCount);
}

TEST_F(OutboundTransportTest, ARequestThatCannotBeMadeIsNoAttempt) {
  source_ = [](const AttemptRequest&, const PrepareDone& done) {
    done(base::fail(base::ErrorCode::kUnavailable, "no key"));
  };
  send(1);
  ASSERT_TRUE(wait_for(1));
  EXPECT_EQ(outcomes_[0].kind, model::OutcomeKind::kNotStarted);
  EXPECT_EQ(outcomes_[0].detail->explanation, "no key");
}

TEST_F(OutboundTransportTest, AnAttemptThatIsAbandonedWhileItIsPreparedIsNeverSent) {
  std::optional<PrepareDone> prepared;
  source_ = [&](const AttemptRequest&, const PrepareDone& done) { prepared = done; };
  send(1);
  transport_->abandon(static_cast<AttemptId>(1));
  (*prepared)(request());
  source_ = [this](const AttemptRequest&, const PrepareDone& done) { done(request()); };
  send(2);
  ASSERT_TRUE(wait_for(1));
  EXPECT_EQ(ended_, std::vector<uint64_t>{2});
  EXPECT_EQ(receiver_.requests.size(), 1U);
}

TEST_F(OutboundTransportTest, AnAbandonedAttemptIsSilentAndItsConnectionIsClosed) {
  receiver_.on_request = [](const TestRequest&) { return Act{.bytes = ""}; };
  send(1);
  ASSERT_TRUE(loop_.run_until([&] { return receiver_.requests.size() == 1; }, kPatience));
  transport_->abandon(static_cast<AttemptId>(1));
  EXPECT_TRUE(wait_for_closed_connections());
  EXPECT_TRUE(ended_.empty());
}

TEST_F(OutboundTransportTest, EndsWithAttemptsUnderWay) {
  receiver_.on_request = [](const TestRequest&) { return Act{.bytes = ""}; };
  send(1);
  ASSERT_TRUE(loop_.run_until([&] { return receiver_.requests.size() == 1; }, kPatience));
  send(2);
  transport_.reset();
  thread_.reset();
  loop_.run_until([] { return false; }, Duration::ms(20));
  EXPECT_TRUE(ended_.empty());
}

}  // namespace
}  // namespace delivery
