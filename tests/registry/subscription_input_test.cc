// What a person may say about a subscription, and how he is told what he said wrong.

#include "registry/subscription_input.h"

#include <gtest/gtest.h>

#include <string>

namespace registry {
namespace {

using base::Duration;

class SubscriptionInputs : public ::testing::Test {
 protected:
  base::Result<SubscriptionInput> read(std::string_view json) {
    return read_subscription_input(parser_.parse(json).value());
  }
  std::string refusal(std::string_view json) {
    auto input = read(json);
    return input.has_value() ? "accepted" : input.error().detail;
  }

  match::JsonParser parser_;
};

TEST_F(SubscriptionInputs, EveryFieldIsRead) {
  const auto input = read(R"({"url": "https://example.com/x", "type": "order.*",
      "object_code": "TASK", "object_id": "42", "filters": [{"fieldName": "a", "fieldValue": 1}],
      "filter_connector": "OR", "description": "d",
      "signing": {"scheme": "v1", "secret": "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"},
      "bearer_token": "abc", "headers": {"X-A": "1", "X-B": "2"},
      "ordered": true, "rate_limit": {"count": 10, "period": "1m"}, "in_flight_max": 3,
      "deadline": "2s", "retry": {"anchor": "previous_attempt", "unit": "1s", "max_retries": 3,
      "jitter_percent": 5, "horizon": "3d"}})");
  ASSERT_TRUE(input.has_value()) << input.error().detail;
  EXPECT_EQ(input->url.value, "https://example.com/x");
  EXPECT_EQ(input->type.value, "order.*");
  EXPECT_EQ(input->filters.value, R"([{"fieldName":"a","fieldValue":1}])");
  EXPECT_EQ(input->filter_connector.value, "OR");
  EXPECT_EQ(input->signing.value->secret.text(), "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz");
  EXPECT_EQ(input->headers.value->size(), 2U);
  EXPECT_EQ(input->rate_limit.value->period, Duration::minutes(1));
  EXPECT_EQ(input->in_flight_max.value, 3U);
  EXPECT_EQ(input->deadline.value, Duration::seconds(2));
  EXPECT_EQ(input->retry.value->anchor, model::RetryAnchor::kPreviousAttempt);
  EXPECT_EQ(input->retry.value->max_retries, 3);
  EXPECT_FALSE(input->client_certificate.is_named);
}

TEST_F(SubscriptionInputs, AWholeNumberMayBeWrittenWithAFraction) {
  const auto input = read(R"({"in_flight_max": 3.0, "rate_limit": {"count": 1e3}})");
  ASSERT_TRUE(input.has_value()) << input.error().detail;
  EXPECT_EQ(input->in_flight_max.value, 3U);
  EXPECT_EQ(input->rate_limit.value->count, 1000U);
}

TEST_F(SubscriptionInputs, NullAsksForTheDefaultAndSilenceForNothing) {
  const auto input = read(R"({"type": null, "ordered": null})");
  ASSERT_TRUE(input.has_value());
  EXPECT_TRUE(input->type.is_named);
  EXPECT_FALSE(input->type.value.has_value());
  EXPECT_TRUE(input->ordered.is_named);
  EXPECT_FALSE(input->url.is_named);
}

TEST_F(SubscriptionInputs, UnknownFieldsAreAnsweredWithTheNearestName) {
  EXPECT_EQ(refusal(R"({"fitlers": []})"),
            R"("fitlers": there is no such field; did you mean "filters"?)");
  EXPECT_EQ(refusal(R"({"retry": {"anker": "queued"}})"),
            R"(retry."anker": there is no such field; did you mean "anchor"?)");
  EXPECT_EQ(refusal(R"({"zzzzzzzzzzzz": 1})"), R"("zzzzzzzzzzzz": there is no such field)");
}

TEST_F(SubscriptionInputs, EachRefusalNamesItsField) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"url": 1})", "url: "},
      {R"({"url": "ftp://example.com"})", "url: "},
      {R"({"type": "order.cre*"})", "type: "},
      {R"({"object_code": 7})", "object_code: "},
      {R"({"filters": {}})", "filters: "},
      {R"({"filter_connector": "XOR"})", "filter_connector: "},
      {R"({"description": []})", "description: "},
      {R"({"signing": "v1"})", "signing: "},
      {R"({"signing": {"scheme": "v2"}})", "signing.scheme: "},
      {R"({"signing": {"secret": "hunter2"}})", "signing.secret: "},
      {R"({"signing": {"scheme": "none", "secret": "whsec_x"}})", "signing.secret: "},
      {R"({"signing": {"scheme": "v1a", "secret": "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"}})",
       "signing.secret: "},
      {R"({"bearer_token": "a b"})", "bearer_token: "},
      {R"({"bearer_token": ""})", "bearer_token: "},
      {R"({"bearer_token": "…"})", "bearer_token: "},
      {R"({"headers": {"Host": "x"}})", "headers.\"Host\": "},
      {R"({"headers": {"X-A": "a\r\nX-B: b"}})", "headers.\"X-A\": "},
      {R"({"headers": {"X-A": "1", "x-a": "2"}})", "headers: "},
      {R"({"headers": {"X-A": 1}})", "headers.\"X-A\": "},
      {R"({"client_certificate": {"certificate": "PEM"}})", "client_certificate.key: "},
      {R"({"ordered": 1})", "ordered: "},
      {R"({"rate_limit": {"count": 0}})", "rate_limit.count: "},
      {R"({"rate_limit": {"period": "1s"}})", "rate_limit.count: "},
      {R"({"rate_limit": {"count": 1, "period": "0"}})", "rate_limit.period: "},
      {R"({"in_flight_max": 0})", "in_flight_max: "},
      {R"({"in_flight_max": 1.5})", "in_flight_max: "},
      {R"({"in_flight_max": 1e300})", "in_flight_max: "},
      {R"({"deadline": "1ms"})", "deadline: "},
      {R"({"deadline": 5})", "deadline: "},
      {R"({"retry": {"anchor": "later"}})", "retry.anchor: "},
      {R"({"retry": {"max_retries": 65}})", "retry.max_retries: "},
      {R"({"retry": {"delays": ["1s", "soon"]}})", "retry.delays[1]: "},
      {R"({"retry": {"delays": ["2s", "1s"]}})", "retry.delays: "},
      {R"({"retry": {"jitter_percent": 101}})", "retry.jitter_percent: "},
  };
  for (const auto& [json, field] : cases) {
    EXPECT_TRUE(refusal(json).starts_with(field)) << json << " -> " << refusal(json);
  }
}

TEST_F(SubscriptionInputs, NoRefusalQuotesASecret) {
  for (const char* json :
       {R"({"signing": {"secret": "hunter2"}})", R"({"bearer_token": "hunter2 hunter2"})",
        R"({"headers": {"X-A": "hunter2\n"}})",
        R"({"url": "https://user:hunter2@example.com/"})"}) {
    EXPECT_NE(refusal(json), "accepted");
    EXPECT_EQ(refusal(json).find("hunter2"), std::string::npos) << refusal(json);
  }
}

TEST_F(SubscriptionInputs, ARotationHasADayOfOverlapUnlessItSaysOtherwise) {
  const auto read_it = [&](std::string_view json) {
    return read_rotation_input(parser_.parse(json).value());
  };
  EXPECT_EQ(read_it("{}").value().overlap, Duration::hours(24));
  EXPECT_EQ(read_it(R"({"overlap": "0"})").value().overlap, Duration());
  EXPECT_TRUE(read_it(R"({"overlap": "31d"})").error().detail.starts_with("overlap: "));
  EXPECT_TRUE(read_it(R"({"secret": "x"})").error().detail.starts_with("secret: "));
}

TEST_F(SubscriptionInputs, UrlsThatTheGuardRefusesAreRefusedAtOnce) {
  const net::AddressGuard guard({});
  EXPECT_TRUE(check_url("https://example.com/", guard).has_value());
  for (const char* url :
       {"http://127.0.0.1/", "http://[::1]/", "http://2130706433/", "http://169.254.169.254/",
        "http://localhost/", "https://example.com:22/"}) {
    const auto checked = check_url(url, guard);
    ASSERT_FALSE(checked.has_value()) << url;
    EXPECT_TRUE(checked.error().detail.starts_with("url: ")) << checked.error().detail;
  }
}

}  // namespace
}  // namespace registry
