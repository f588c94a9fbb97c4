// What can be looked up, and what can be done about it, as clients of the API see it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/api/api_rig.h"

namespace api {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class LookupTest : public ApiRig {};

// --- Events ---

TEST_F(LookupTest, AnEventTellsItsWholeStory) {
  subscribe("https://receiver.example.com/hook");
  const std::string delivery =
      publish(R"({"id": "o-1", "type": "order.paid", "payload": {"n": 7}})");
  ASSERT_TRUE(wait_for_state(delivery, "delivered"));
  const ApiAnswer story = get("/v1/events/o-1");
  ASSERT_EQ(story.status, 200) << story.text;
  EXPECT_EQ(text_in(story, {"id"}), "o-1");
  EXPECT_EQ(text_in(story, {"type"}), "order.paid");
  EXPECT_EQ(text_in(story, {"deliveries", "0", "id"}), delivery);
  EXPECT_EQ(text_in(story, {"deliveries", "0", "state"}), "delivered");
  EXPECT_EQ(size_of(story, {"deliveries", "0", "attempts"}), 1U);
  EXPECT_THAT(story.text, HasSubstr(R"("payload":{"n": 7})"));
}

TEST_F(LookupTest, AnEventWithoutAnIdOfItsProducersIsFoundByTheServers) {
  subscribe("https://receiver.example.com/hook");
  const ApiAnswer published = post("/v1/events", R"({"type": "a", "payload": 1})");
  const std::string id = text_in(published, {"id"});
  EXPECT_THAT(id, StartsWith("evt_"));
  EXPECT_EQ(text_in(get("/v1/events/" + id), {"id"}), id);
}

TEST_F(LookupTest, AnEventThatNobodyWantsSaysWhy) {
  const ApiAnswer published = post("/v1/events", R"({"type": "a", "payload": 1})");
  const ApiAnswer story = get("/v1/events/" + text_in(published, {"id"}));
  EXPECT_EQ(story.status, 200);
  EXPECT_EQ(size_of(story, {"deliveries"}), 0U);
  EXPECT_EQ(text_in(story, {"unmatched_reason"}), text_in(published, {"unmatched_reason"}));
}

// --- The account ---

TEST_F(LookupTest, TheAccountTellsWhatIsWhere) {
  subscribe("https://receiver.example.com/hook");
  ASSERT_TRUE(wait_for_state(publish(), "delivered"));
  receivers().keeps_in_flight = true;
  publish();
  ASSERT_TRUE(wait_until([&] { return receivers().kept() == 1; }));
  const ApiAnswer account = get("/v1/conservation");
  EXPECT_EQ(in(account, {"created"}).as_integer(), 2) << account.text;
  EXPECT_EQ(in(account, {"delivered"}).as_integer(), 1);
  EXPECT_EQ(in(account, {"in_flight"}).as_integer(), 1);
  EXPECT_EQ(in(account, {"unfinished"}).as_integer(), 1);
  EXPECT_TRUE(in(account, {"conserved"}).as_bool());
}

TEST_F(LookupTest, ADeliveryThatIsStoredAndThatNobodyWillSendIsMissingInTheAccount) {
  store_untold();
  const ApiAnswer account = get("/v1/conservation");
  EXPECT_EQ(in(account, {"unfinished"}).as_integer(), 1) << account.text;
  EXPECT_EQ(in(account, {"waiting"}).as_integer(), 0);
  EXPECT_FALSE(in(account, {"conserved"}).as_bool());
}

// --- Deliveries ---

TEST_F(LookupTest, AFailedDeliveryTellsWhyAndWhenItIsTriedAgain) {
  subscribe("https://receiver.example.com/hook");
  model::AttemptDetail detail;
  detail.response_headers = "Server: x\r\nRetry: no\r\n";
  detail.response_body = "out of order";
  receivers().outcome = {.status = 500};
  receivers().outcome.detail = std::make_shared<const model::AttemptDetail>(detail);
  const std::string id = publish();
  ASSERT_TRUE(wait_until([&] { return receivers().attempts == 1; }));
  ASSERT_TRUE(wait_for_state(id, "waiting"));
  const ApiAnswer delivery = get("/v1/deliveries/" + id);
  EXPECT_EQ(size_of(delivery, {"attempts"}), 1U);
  EXPECT_EQ(in(delivery, {"attempts", "0", "status"}).as_integer(), 500);
  EXPECT_EQ(text_in(delivery, {"attempts", "0", "response_body"}), "out of order");
  EXPECT_EQ(text_in(delivery, {"attempts", "0", "response_headers", "1", "value"}), "no");
  EXPECT_EQ(text_in(delivery, {"attempts", "0", "next_due_at"}), text_in(delivery, {"due_at"}));
  EXPECT_EQ(size_of(delivery, {"coming_attempts"}), 11U);
  EXPECT_EQ(text_in(delivery, {"coming_attempts", "10"}), text_in(delivery, {"last_slot_at"}));
}

TEST_F(LookupTest, WhatIsInFlightIsToldSo) {
  subscribe("https://receiver.example.com/hook");
  receivers().keeps_in_flight = true;
  const std::string id = publish();
  ASSERT_TRUE(wait_until([&] { return receivers().kept() == 1; }));
  EXPECT_EQ(text_in(get("/v1/deliveries/" + id), {"state"}), "in_flight");
  EXPECT_EQ(size_of(get("/v1/deliveries?state=in_flight"), {"items"}), 1U);
  EXPECT_EQ(size_of(get("/v1/deliveries?state=waiting"), {"items"}), 0U);
  receivers().finish_kept();
  EXPECT_TRUE(wait_for_state(id, "delivered"));
}

TEST_F(LookupTest, AListIsNarrowedByItsParametersAndPaged) {
  subscribe("https://receiver.example.com/hook");
  for (int i = 0; i < 3; ++i) {
    publish();
  }
  const std::string last = publish(R"({"type": "order.sent", "payload": {}})");
  ASSERT_TRUE(wait_for_state(last, "delivered"));
  const ApiAnswer typed = get("/v1/deliveries?type=order.sent");
  ASSERT_EQ(size_of(typed, {"items"}), 1U) << typed.text;
  EXPECT_EQ(text_in(typed, {"items", "0", "id"}), last);
  EXPECT_EQ(size_of(get("/v1/deliveries?state=dropped"), {"items"}), 0U);
  const ApiAnswer page = get("/v1/deliveries?limit=3");
  EXPECT_EQ(size_of(page, {"items"}), 3U);
  const ApiAnswer rest = get("/v1/deliveries?limit=3&cursor=" + text_in(page, {"cursor"}));
  EXPECT_EQ(size_of(rest, {"items"}), 1U);
  EXPECT_EQ(in(rest, {"cursor"}).kind(), match::JsonKind::kNull);
}

TEST_F(LookupTest, AMistakeInAParameterIsNamed) {
  const ApiAnswer unknown = get("/v1/deliveries?stat=dropped");
  EXPECT_EQ(unknown.status, 400);
  EXPECT_EQ(text_in(unknown, {"error", "field"}), "stat");
  EXPECT_EQ(text_in(unknown, {"error", "hint"}), "did you mean \"state\"?");
  for (const char* const query :
       {"state=gone", "limit=0", "limit=101", "limit=x", "cursor=1", "endpoint=sub_1", "from=now",
        "type=a..b", "from=2026-01-02&until=2026-01-01"}) {
    EXPECT_EQ(get(std::string("/v1/deliveries?") + query).status, 400) << query;
  }
}

TEST_F(LookupTest, WhatHasEndedIsSentOnceMoreAsANewDelivery) {
  subscribe("https://receiver.example.com/hook");
  const std::string old = publish(R"({"id": "o-1", "type": "a", "payload": 1})");
  ASSERT_TRUE(wait_for_state(old, "delivered"));
  const ApiAnswer again = post("/v1/deliveries/" + old + "/redeliver");
  ASSERT_EQ(again.status, 202) << again.text;
  const std::string id = text_in(again, {"id"});
  EXPECT_NE(id, old);
  ASSERT_TRUE(wait_for_state(id, "delivered"));
  const ApiAnswer delivery = get("/v1/deliveries/" + id);
  EXPECT_EQ(text_in(delivery, {"redelivery_of"}), old);
  EXPECT_EQ(text_in(delivery, {"event"}), "o-1");
  EXPECT_EQ(text_in(delivery, {"attempts", "0", "lane"}), "retry");
  EXPECT_EQ(text_in(get("/v1/deliveries/" + old), {"state"}), "delivered");
}

TEST_F(LookupTest, WhatIsUnfinishedIsNotSentOnceMoreButCanBeCancelled) {
  subscribe("https://receiver.example.com/hook");
  receivers().outcome = {.status = 500};
  const std::string id = publish();
  ASSERT_TRUE(wait_until([&] { return receivers().attempts == 1; }));
  EXPECT_EQ(post("/v1/deliveries/" + id + "/redeliver").status, 409);
  const ApiAnswer cancelled = post("/v1/deliveries/" + id + "/cancel");
  EXPECT_EQ(cancelled.status, 200) << cancelled.text;
  EXPECT_EQ(text_in(cancelled, {"state"}), "cancelled");
  EXPECT_EQ(post("/v1/deliveries/" + id + "/cancel").status, 409);
}

// --- Endpoints ---

TEST_F(LookupTest, AnEndpointTellsItsStateCountersAndThresholds) {
  subscribe("https://receiver.example.com/hook");
  receivers().outcome = {.status = 500};
  const std::string delivery = publish();
  ASSERT_TRUE(wait_until([&] { return receivers().attempts == 1; }));
  ASSERT_TRUE(wait_for_state(delivery, "waiting"));
  const ApiAnswer list = get("/v1/endpoints");
  ASSERT_EQ(size_of(list, {"items"}), 1U) << list.text;
  EXPECT_EQ(text_in(list, {"items", "0", "url"}), "https://receiver.example.com/hook");
  const ApiAnswer endpoint = get("/v1/endpoints/" + text_in(list, {"items", "0", "id"}));
  ASSERT_EQ(endpoint.status, 200) << endpoint.text;
  EXPECT_EQ(text_in(endpoint, {"state"}), "active");
  EXPECT_EQ(in(endpoint, {"unfinished"}).as_integer(), 1);
  EXPECT_EQ(in(endpoint, {"counters", "consecutive_failures", "count"}).as_integer(), 1);
  EXPECT_EQ(in(endpoint, {"counters", "consecutive_failures", "disables_at"}).as_integer(), 2000);
  EXPECT_EQ(in(endpoint, {"counters", "window", "failures"}).as_integer(), 1);
  EXPECT_EQ(size_of(endpoint, {"history"}), 0U);
}

TEST_F(LookupTest, AnEndpointIsPausedAndResumedAndRemembersIt) {
  subscribe("https://receiver.example.com/hook");
  const std::string path = "/v1/endpoints/" + text_in(get("/v1/endpoints"), {"items", "0", "id"});
  const ApiAnswer paused = post(path + "/pause");
  ASSERT_EQ(paused.status, 200) << paused.text;
  EXPECT_TRUE(in(paused, {"paused"}).as_bool());
  EXPECT_THAT(text_in(paused, {"reason"}), HasSubstr("paused by hand"));
  const std::string held = publish();
  EXPECT_TRUE(wait_for_state(held, "held"));
  EXPECT_EQ(post(path + "/enable").status, 200) << "an active one stays as it is";
  const ApiAnswer resumed = post(path + "/resume");
  EXPECT_FALSE(in(resumed, {"paused"}).as_bool());
  EXPECT_EQ(text_in(resumed, {"history", "0", "reason"}), "resumed_by_hand");
  EXPECT_TRUE(wait_for_state(held, "delivered"));
  const ApiAnswer newest = get(path + "?limit=1");
  EXPECT_EQ(size_of(newest, {"history"}), 1U);
  const ApiAnswer older =
      get(path + "?limit=1&history_cursor=" + text_in(newest, {"history_cursor"}));
  EXPECT_EQ(text_in(older, {"history", "0", "reason"}), "paused_by_hand");
}

// --- Figures ---

TEST_F(LookupTest, FiguresAreOfTheTenantAnEndpointOrASubscription) {
  const base::SubscriptionId subscription = subscribe("https://receiver.example.com/hook");
  ASSERT_TRUE(wait_for_state(publish(), "delivered"));
  const std::string endpoint = text_in(get("/v1/endpoints"), {"items", "0", "id"});
  for (const std::string& query :
       {std::string(), "?endpoint=" + endpoint, "?subscription=" + text::id_text(subscription)}) {
    const ApiAnswer figures = get("/v1/stats" + query);
    ASSERT_EQ(figures.status, 200) << query << figures.text;
    EXPECT_EQ(in(figures, {"total", "delivered"}).as_integer(), 1) << query;
    EXPECT_EQ(size_of(figures, {"hours"}), 1U) << query;
  }
  EXPECT_EQ(get("/v1/stats?from=2020-01-01&until=2026-01-01").status, 400);
}

// --- What is another tenant's ---

TEST_F(LookupTest, WhatIsAnothersIsAsUnknownAsWhatNeverWas) {
  subscribe("https://receiver.example.com/hook");
  const std::string delivery = publish(R"({"id": "o-1", "type": "a", "payload": 1})");
  ASSERT_TRUE(wait_for_state(delivery, "delivered"));
  const std::string endpoint = text_in(get("/v1/endpoints"), {"items", "0", "id"});
  act_in(make_tenant("another"));
  const auto error_of = [this](const ApiAnswer& answer) {
    return std::to_string(answer.status) + text_in(answer, {"error", "message"});
  };
  EXPECT_EQ(error_of(get("/v1/events/o-1")), error_of(get("/v1/events/o-2")));
  const std::string foreign = "/v1/deliveries/" + delivery;
  const std::string unknown = "/v1/deliveries/dlv_0123456789abcdef";
  for (const char* const command : {"/redeliver", "/cancel"}) {
    EXPECT_EQ(error_of(post(foreign + command)), error_of(post(unknown + command)));
  }
  EXPECT_EQ(error_of(get(foreign)), error_of(get(unknown)));
  EXPECT_EQ(error_of(get(foreign)), "404there is no such delivery");
  EXPECT_EQ(error_of(get("/v1/deliveries/x")), error_of(get(unknown)));
  const std::string their = "/v1/endpoints/" + endpoint;
  const std::string none = "/v1/endpoints/ep_0123456789abcdef";
  for (const char* const command : {"/enable", "/pause", "/resume"}) {
    EXPECT_EQ(error_of(post(their + command)), error_of(post(none + command)));
  }
  EXPECT_EQ(error_of(get(their)), error_of(get(none)));
  EXPECT_EQ(get("/v1/stats?endpoint=" + endpoint).status, 404);
  EXPECT_EQ(size_of(get("/v1/deliveries"), {"items"}), 0U);
  EXPECT_EQ(size_of(get("/v1/endpoints"), {"items"}), 0U);
}

}  // namespace
}  // namespace api
