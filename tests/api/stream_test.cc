// The live tail as those who listen to it hear it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/api/api_rig.h"

namespace api {
namespace {

using base::Duration;
using ::testing::HasSubstr;
using ::testing::Not;

using ClientPtr = std::unique_ptr<http::RawClient>;

constexpr const char* kHook = "https://receiver.example.com/hook";

class StreamTest : public ApiRig {
 protected:
  StreamTest()
      : ApiRig({.streams_max = 3,
                .streams_per_tenant_max = 2,
                .heartbeat = Duration::ms(20),
                .waiting_bytes_max = size_t{64} * 1024}) {}

  // Listens from when this returns on. `headers` end their lines.
  ClientPtr listen(const std::string& query = "", const std::string& headers = "",
                   const std::string& key = "") {
    auto client = std::make_unique<http::RawClient>(server().port());
    CHECK(client->send(begin_request("GET", "/v1/stream" + query, key) + headers + "\r\n"));
    CHECK(hears(*client, "retry: "));
    return client;
  }

  bool hears(http::RawClient& client, std::string_view text) {
    size_t searched = 0;
    return wait_until([&] {
      client.receive();
      const std::string& all = client.received();
      const bool is_there = all.find(text, searched) != std::string::npos;
      searched = all.size() - std::min(all.size(), text.size());
      return is_there;
    });
  }

  static size_t count(const http::RawClient& client, std::string_view text) {
    const std::string& all = client.received();
    size_t found = 0;
    for (size_t at = all.find(text); at != std::string::npos; at = all.find(text, at + 1)) {
      found += 1;
    }
    return found;
  }

  // Tells the tail of an event, as the intake does.
  void tell_event(base::Sequence sequence) {
    auto content = std::make_shared<model::Event>();
    content->tenant = tenant();
    content->type = std::string(200, 'x');
    tail().event_stored(sequence, content, {});
  }
};

TEST_F(StreamTest, TheLifeOfAnEventIsToldInOrder) {
  subscribe(kHook);
  const ClientPtr client = listen();
  const std::string delivery =
      publish(R"({"id": "o-1", "type": "order.paid", "payload": {"n": 7}})");
  ASSERT_TRUE(hears(*client, "event: delivery_ended"));
  const std::string& heard = client->received();
  EXPECT_THAT(heard, HasSubstr("Content-Type: text/event-stream\r\n"));
  EXPECT_LT(heard.find("event: event_accepted"), heard.find("event: attempt_ended"));
  EXPECT_LT(heard.find("event: attempt_ended"), heard.find("event: delivery_ended"));
  EXPECT_EQ(count(*client, R"("event":"o-1","event_type":"order.paid")"), 3U);
  EXPECT_EQ(count(*client, delivery), 2U);
  EXPECT_THAT(heard, HasSubstr(R"("state":"delivered")"));
  EXPECT_THAT(heard, Not(HasSubstr("event: gap")));
}

TEST_F(StreamTest, AnEventThatNobodyWantsIsTold) {
  const ClientPtr client = listen();
  ASSERT_EQ(post("/v1/events", R"({"type": "a", "payload": 1})").status, 202);
  EXPECT_TRUE(hears(*client, R"("matched":0,"unmatched_reason":)"));
}

TEST_F(StreamTest, ARepeatIsNotTold) {
  const ClientPtr client = listen();
  for (const char* const event : {R"({"id": "o-1", "type": "a", "payload": 1})",
                                  R"({"id": "o-1", "type": "a", "payload": 1})",
                                  R"({"id": "o-2", "type": "a", "payload": 1})"}) {
    ASSERT_EQ(post("/v1/events", event).status, 202);
  }
  ASSERT_TRUE(hears(*client, "o-2"));
  EXPECT_EQ(count(*client, "event: event_accepted"), 2U);
}

TEST_F(StreamTest, AFailedAttemptSaysWhenTheNextIs) {
  subscribe(kHook);
  receivers().outcome = {.status = 503};
  const ClientPtr client = listen("?show=attempt_ended");
  publish();
  ASSERT_TRUE(hears(*client, "event: attempt_ended"));
  EXPECT_THAT(client->received(), HasSubstr(R"("status":503)"));
  EXPECT_THAT(client->received(), Not(HasSubstr(R"("next_due_at":null)")));
}

TEST_F(StreamTest, ACircuitThatChangesIsTold) {
  subscribe(kHook);
  const std::string endpoint = text_in(post("/v1/events", R"({"type": "a", "payload": 1})"),
                                       {"deliveries", "0", "endpoint"});
  const ClientPtr client = listen("?show=circuit_changed&endpoint=" + endpoint);
  ASSERT_EQ(post("/v1/endpoints/" + endpoint + "/pause").status, 200);
  ASSERT_TRUE(hears(*client, "event: circuit_changed"));
  EXPECT_THAT(client->received(), HasSubstr(R"("reason":"paused_by_hand")"));
  EXPECT_THAT(client->received(), HasSubstr(endpoint));
}

TEST_F(StreamTest, OthersHearNothing) {
  const base::TenantId ours = tenant();
  subscribe(kHook);
  const base::TenantId theirs = make_tenant("other");
  act_in(theirs);
  const ClientPtr stranger = listen();
  act_in(ours);
  const ClientPtr client = listen();
  publish(R"({"id": "ours", "type": "a", "payload": 1})");
  ASSERT_TRUE(hears(*client, "event: delivery_ended"));
  act_in(theirs);
  ASSERT_EQ(post("/v1/events", R"({"id": "theirs", "type": "a", "payload": 1})").status, 202);
  ASSERT_TRUE(hears(*stranger, "theirs"));
  EXPECT_EQ(count(*stranger, "event: "), 1U);
  EXPECT_THAT(stranger->received(), Not(HasSubstr("ours")));
  EXPECT_THAT(client->received(), Not(HasSubstr("theirs")));
}

TEST_F(StreamTest, AStreamIsNarrowedByItsParameters) {
  subscribe("https://receiver.example.com/first");
  const std::string wanted = text::id_text(subscribe("https://receiver.example.com/second"));
  const ClientPtr client = listen("?show=delivery_ended&subscription=" + wanted);
  publish();
  publish();
  ASSERT_TRUE(wait_until([&] {
    client->receive();
    return count(*client, "event: delivery_ended") == 2;
  }));
  EXPECT_EQ(count(*client, wanted), 2U);
  EXPECT_EQ(count(*client, "event: "), 2U);
}

TEST_F(StreamTest, WhatIsNotThereCannotBeListenedTo) {
  EXPECT_EQ(get("/v1/stream?subscription=sub_00000000000000ff").status, 404);
  EXPECT_EQ(get("/v1/stream?endpoint=ep_00000000000000ff").status, 404);
  const std::string foreign = text::id_text(subscribe(kHook));
  act_in(make_tenant("other"));
  EXPECT_EQ(get("/v1/stream?subscription=" + foreign).status, 404);
  EXPECT_EQ(get("/v1/stream?show=everything").status, 400);
  EXPECT_EQ(tail().streams(), 0U);
}

TEST_F(StreamTest, OneTooManyIsRefusedUntilAnotherLeaves) {
  ClientPtr first = listen();
  const ClientPtr second = listen();
  const ApiAnswer refused = get("/v1/stream");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(text_in(refused, {"error", "code"}), "too_many_streams");
  first.reset();
  ASSERT_TRUE(wait_until([&] { return tail().streams() == 1; }));
  listen();
}

TEST_F(StreamTest, AllTenantsTogetherHaveALimit) {
  const ClientPtr first = listen();
  const ClientPtr second = listen();
  act_in(make_tenant("other"));
  const ClientPtr third = listen();
  act_in(make_tenant("third"));
  const ApiAnswer refused = get("/v1/stream");
  EXPECT_EQ(refused.status, 429);
  EXPECT_THAT(text_in(refused, {"error", "message"}), HasSubstr("the server"));
}

TEST_F(StreamTest, AHeartbeatComesAlsoIfNothingHappens) {
  const ClientPtr client = listen();
  ASSERT_TRUE(wait_until([&] {
    client->receive();
    return count(*client, "\r\n:\n\n") >= 3;
  }));
  EXPECT_EQ(count(*client, "event: "), 0U);
}

TEST_F(StreamTest, WhoComesAgainIsToldThatHeMissedSomething) {
  const ClientPtr client = listen("", "Last-Event-ID: x-17\r\n");
  EXPECT_TRUE(hears(*client, "event: gap\ndata: {\"reason\":\"reconnected\""));
}

TEST_F(StreamTest, ASlowReaderIsToldHowMuchHeMissed) {
  http::RawClient slow(server().port(), 4096);
  ASSERT_TRUE(slow.send(begin_request("GET", "/v1/stream") + "\r\n"));
  ASSERT_TRUE(wait_until([&] { return tail().streams() == 1; }));
  base::Sequence told = 0;
  while (tail().left_out() < 5) {
    tell_event(++told);
    ASSERT_LT(told, 500'000U);
  }
  ASSERT_TRUE(hears(slow, "event: gap\ndata: {\"reason\":\"slow_reader\",\"left_out\":5}\n"));
  EXPECT_EQ(count(slow, "event: event_accepted"), told - 5);
  tell_event(++told);
  ASSERT_TRUE(hears(slow, "-" + std::to_string(told) + "\nevent: event_accepted"));
  EXPECT_EQ(count(slow, "event: gap"), 1U);
  EXPECT_EQ(tail().streams(), 1U);
}

TEST_F(StreamTest, AReaderWhoseKeyIsRevokedIsCutOff) {
  const ApiAnswer made = post("/v1/keys", R"({"name": "reader", "scopes": ["read"]})");
  ASSERT_EQ(made.status, 201) << made.text;
  const std::string key = text_in(made, {"key"});
  const std::string id = text_in(made, {"id"});
  const ClientPtr client = listen("", "", key);
  ASSERT_EQ(call("DELETE", "/v1/keys/" + id, "").status, 204);
  EXPECT_TRUE(hears(*client, "0\r\n\r\n"));
  EXPECT_TRUE(wait_until([&] { return tail().streams() == 0; }));
}

TEST_F(StreamTest, StreamsEndWhenTheServerDrains) {
  const ClientPtr client = listen();
  server().drain(Duration::seconds(10), [] {});
  ASSERT_TRUE(wait_until([&] {
    client->receive();
    return client->is_ended();
  }));
  EXPECT_TRUE(client->received().ends_with("0\r\n\r\n"));
  EXPECT_TRUE(wait_until([&] { return tail().streams() == 0; }));
}

TEST_F(StreamTest, AnAnswerToHeadIsNoStream) {
  http::RawClient client(server().port());
  ASSERT_TRUE(client.send(begin_request("HEAD", "/v1/stream") + "\r\n"));
  ASSERT_TRUE(hears(client, "\r\n\r\n"));
  EXPECT_TRUE(wait_until([&] { return tail().streams() == 0; }));
}

}  // namespace
}  // namespace api
