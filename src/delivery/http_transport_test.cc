#include "delivery/http_transport.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>

#include "model/outcome_words.h"
#include "net/test_receiver.h"

namespace delivery {
namespace {

using base::Duration;
using model::Outcome;
using model::OutcomeKind;
using model::OutcomeReason;
using net::Act;
using net::TestReceiver;
using net::TestRequest;

constexpr Duration kPatience = Duration::seconds(20);
constexpr std::string_view kSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";

std::string header_of(const std::string& request, const std::string& name) {
  const size_t begin = request.find("\r\n" + name + ": ");
  if (begin == std::string::npos) {
    return "";
  }
  const size_t value = begin + name.size() + 4;
  return request.substr(value, request.find("\r\n", value) - value);
}

class HttpTransportTest : public testing::Test {
 protected:
  HttpTransportTest() {
    net::ClientOptions options;
    options.guard.allow = {*net::Cidr::parse("127.0.0.0/8")};
    options.guard.any_port = true;
    options.resolver.servers = {"127.0.0.1:1"};
    client_ = *net::HttpClient::make(loop_, options);
    prepared_.url = *net::parse_url(receiver_.url());
    prepared_.body = std::make_shared<const std::string>("{\"n\":1}");
    prepared_.webhook_id = "evt_1";
    transport_ = std::make_unique<HttpTransport>(
        loop_, *client_,
        [this](const AttemptRequest&, const PrepareDone& done) {
          if (source_error_.has_value()) {
            done(std::unexpected(*source_error_));
          } else {
            done(prepared_);
          }
        },
        "Postrider/test");
  }

  Outcome send(uint32_t number = 1, Duration deadline = Duration::seconds(5)) {
    std::optional<Outcome> outcome;
    AttemptRequest request{.id = static_cast<AttemptId>(++last_), .delivery = {}, .number = number};
    request.deadline = deadline;
    transport_->send(request, [&](Outcome came) { outcome = std::move(came); });
    EXPECT_FALSE(outcome.has_value()) << "done ran inside the call";
    EXPECT_TRUE(loop_.run_until([&] { return outcome.has_value(); }, kPatience));
    return *outcome;
  }

  void answer(const std::string& bytes) {
    receiver_.on_request = [bytes](const TestRequest&) { return Act{.bytes = bytes}; };
  }

  net::Loop loop_;
  TestReceiver receiver_{loop_};
  std::unique_ptr<net::HttpClient> client_;
  PreparedRequest prepared_;
  std::optional<base::Error> source_error_;
  std::unique_ptr<HttpTransport> transport_;
  uint64_t last_ = 0;
};

TEST_F(HttpTransportTest, SendsASignedDeliveryThatAReceiverCanVerify) {
  const std::array secrets = {kSecret};
  prepared_.signer = std::make_shared<const Signer>(*Signer::make(secrets));
  prepared_.headers.add("X-Tenant", "acme");
  EXPECT_TRUE(is_success(send(3)));
  ASSERT_EQ(receiver_.requests.size(), 1U);
  const std::string& request = receiver_.requests[0].text;
  EXPECT_EQ(header_of(request, "User-Agent"), "Postrider/test");
  EXPECT_EQ(header_of(request, "Content-Type"), "application/json");
  EXPECT_EQ(header_of(request, "postrider-attempt"), "3");
  EXPECT_EQ(header_of(request, "X-Tenant"), "acme");
  const std::string id = header_of(request, "webhook-id");
  const std::string timestamp = header_of(request, "webhook-timestamp");
  const std::string signature = header_of(request, "webhook-signature");
  const auto verifier = *Verifier::make(secrets);
  EXPECT_EQ(verifier.verify({.id = id, .timestamp = timestamp, .signature = signature}, "{\"n\":1}",
                            loop_.wall_clock().ms() / 1000),
            std::nullopt);
}

TEST_F(HttpTransportTest, TheOutcomeCarriesWhatCameBack) {
  answer("HTTP/1.1 503 Busy\r\nRetry-After: 30\r\nContent-Length: 4\r\n\r\nbusy");
  const Outcome outcome = send();
  EXPECT_EQ(outcome.kind, OutcomeKind::kResponse);
  EXPECT_EQ(outcome.status, 503);
  EXPECT_EQ(outcome.retry_after, Duration::seconds(30));
  EXPECT_TRUE(honours_retry_after(outcome));
  ASSERT_NE(outcome.detail, nullptr);
  EXPECT_EQ(outcome.detail->response_body, "busy");
  EXPECT_EQ(outcome.detail->response_headers, "Retry-After: 30\r\nContent-Length: 4\r\n");
  EXPECT_EQ(outcome.detail->remote_address, "127.0.0.1:" + std::to_string(receiver_.port()));
}

TEST_F(HttpTransportTest, FailuresHaveTheirNames) {
  answer("nonsense");
  const Outcome malformed = send();
  EXPECT_EQ(malformed.kind, OutcomeKind::kProtocolError);
  EXPECT_EQ(describe(malformed),
            "What came back is not a valid HTTP response: what came back does not begin with "
            "HTTP/1.");

  answer("");
  EXPECT_EQ(send(1, Duration::ms(60)),
            (Outcome{.kind = OutcomeKind::kTimeout, .reason = OutcomeReason::kInHead}));

  receiver_.on_request = [](const TestRequest&) {
    return Act{.bytes = "", .then = Act::Then::kReset};
  };
  EXPECT_EQ(send(), (Outcome{.kind = OutcomeKind::kReset, .reason = OutcomeReason::kInHead}));

  prepared_.url = *net::parse_url("http://10.0.0.1/");
  const Outcome refused = send();
  EXPECT_EQ(refused.kind, OutcomeKind::kAddressRefused);
  EXPECT_FALSE(refused.detail->explanation.empty());
}

TEST_F(HttpTransportTest, ARequestThatCannotBeMadeIsNoAttempt) {
  source_error_ = base::Error{.code = base::ErrorCode::kUnavailable, .detail = "no key"};
  const Outcome outcome = send();
  EXPECT_EQ(outcome,
            (Outcome{.kind = OutcomeKind::kNotStarted, .reason = OutcomeReason::kNoRequest}));
  EXPECT_EQ(outcome.detail->explanation, "no key");
  EXPECT_TRUE(receiver_.requests.empty());
}

TEST_F(HttpTransportTest, AnUnreachableResolverIsNoAttempt) {
  prepared_.url = *net::parse_url("http://receiver.example.com/");
  EXPECT_EQ(send(), (Outcome{.kind = OutcomeKind::kNotStarted,
                             .reason = OutcomeReason::kResolversUnreachable}));
}

TEST_F(HttpTransportTest, AnAbandonedAttemptIsSilent) {
  answer("");
  bool ran = false;
  const AttemptRequest request{
      .id = static_cast<AttemptId>(77), .delivery = {}, .deadline = Duration::ms(50)};
  transport_->send(request, [&](const Outcome&) { ran = true; });
  EXPECT_TRUE(loop_.run_until([&] { return receiver_.requests.size() == 1; }, kPatience));
  transport_->abandon(request.id);
  loop_.run_until([] { return false; }, Duration::ms(100));
  EXPECT_FALSE(ran);
  EXPECT_EQ(client_->open_connections(), 0U);
}

}  // namespace
}  // namespace delivery
