// Subscriptions: durable, matched, told to the core, and never two of a kind.

#include <gtest/gtest.h>

#include <string>

#include "tests/registry/registry_rig.h"
#include "text/id_text.h"

namespace registry_tests {
namespace {

using base::Duration;
using base::ErrorCode;
using registry::ChangedSubscription;
using registry::Subscription;

using Ids = std::vector<base::SubscriptionId>;

class Subscriptions : public RegistryRig {
 protected:
  Subscriptions() : tenant_(new_tenant()) {}

  std::string shown(const Subscription& subscription) {
    std::string body;
    text::JsonWriter writer(body);
    writer.begin_object();
    registry::write_subscription(writer, subscription);
    writer.end_object();
    return body;
  }

  base::TenantId tenant_;
};

TEST_F(Subscriptions, OneWithoutWishesGetsEverythingSigned) {
  const auto made = create(tenant_, R"({"url": "https://example.com/"})").value();
  EXPECT_TRUE(made.signing_secret.text().starts_with("whsec_"));
  EXPECT_EQ(matches(tenant_, "any.type"), (Ids{made.subscription.id}));
  EXPECT_EQ(made.subscription.revision, 1U);
  EXPECT_TRUE(settings_told_.empty());
  EXPECT_EQ(find(tenant_, made.subscription.id).value().created_at, made.subscription.created_at);
}

TEST_F(Subscriptions, TypeAndFiltersDecideAlsoAfterARestart) {
  const auto made = create(tenant_, R"({"url": "https://example.com/", "type": "order.*",
      "filters": [{"fieldName": "total", "fieldValue": 10, "comparison": "gt"}]})")
                        .value();
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(matches(tenant_, "order.made", R"({"total": 11})"), (Ids{made.subscription.id}));
    EXPECT_TRUE(matches(tenant_, "order.made", R"({"total": 9})").empty());
    EXPECT_TRUE(matches(tenant_, "user.made", R"({"total": 11})").empty());
    restart();
  }
}

TEST_F(Subscriptions, AWrongFilterIsRefusedByPlaceAndAHopelessOneIsAnsweredWithAWarning) {
  const auto wrong = create(tenant_, R"({"url": "https://example.com/",
      "filters": [{"fieldName": "a", "fieldValue": 1, "comparison": "equals"}]})");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().code, ErrorCode::kInvalid);
  EXPECT_NE(wrong.error().detail.find("filters[0]"), std::string::npos) << wrong.error().detail;
  const auto hopeless = create(tenant_, R"({"url": "https://example.com/", "filters": [
      {"fieldName": "a", "fieldValue": 1}, {"fieldName": "a", "fieldValue": 2}]})");
  ASSERT_TRUE(hopeless.has_value()) << hopeless.error().detail;
  EXPECT_FALSE(hopeless->warnings.empty());
}

TEST_F(Subscriptions, ASecondOneOfTheSameKindIsRefused) {
  const char* body = R"({"url": "https://example.com/", "type": "a", "object_code": "TASK"})";
  const auto first = create(tenant_, body).value();
  const auto second = create(tenant_, body);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::kConflict);
  EXPECT_NE(second.error().detail.find(text::id_text(first.subscription.id)), std::string::npos);
  restart();
  EXPECT_EQ(create(tenant_, body).error().code, ErrorCode::kConflict);
  EXPECT_TRUE(create(new_tenant("other"), body).has_value());
  ASSERT_TRUE(remove(tenant_, first.subscription.id).has_value());
  EXPECT_TRUE(create(tenant_, body).has_value());
}

TEST_F(Subscriptions, OfRacingCreationsOneWins) {
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 20; ++i) {
    subscriptions().create(tenant_, parser_.parse(R"({"url": "https://example.com/"})").value(),
                           [&](const base::Result<ChangedSubscription>& result) {
                             ++(result.has_value() ? accepted : refused);
                           });
  }
  ASSERT_TRUE(run_until([&] { return accepted + refused == 20; }));
  EXPECT_EQ(accepted, 1);
  EXPECT_EQ(matches(tenant_, "a").size(), 1U);
}

TEST_F(Subscriptions, AChangeIntoTheSameKindIsRefusedAndChangesNothing) {
  const auto first = create(tenant_, R"({"url": "https://example.com/", "type": "a"})").value();
  const auto second = create(tenant_, R"({"url": "https://example.com/", "type": "b"})").value();
  EXPECT_EQ(update(tenant_, second.subscription.id, R"({"type": "a"})").error().code,
            ErrorCode::kConflict);
  EXPECT_EQ(matches(tenant_, "b"), (Ids{second.subscription.id}));
  ASSERT_TRUE(update(tenant_, first.subscription.id, R"({"type": "c"})").has_value());
  EXPECT_TRUE(update(tenant_, second.subscription.id, R"({"type": "a"})").has_value());
  EXPECT_EQ(matches(tenant_, "a"), (Ids{second.subscription.id}));
}

TEST_F(Subscriptions, AnUpdateMergesAndNullGoesBackToTheDefault) {
  const auto made = create(tenant_, R"({"url": "https://example.com/", "type": "a",
      "description": "d", "ordered": true, "deadline": "1s"})")
                        .value();
  run_for(Duration::seconds(1));
  const auto changed =
      update(tenant_, made.subscription.id, R"({"description": "e", "deadline": null})").value();
  EXPECT_EQ(changed.subscription.revision, 2U);
  EXPECT_TRUE(changed.signing_secret.empty());
  EXPECT_FALSE(changed.previous_endpoint.is_set());
  const Subscription now_stored = find(tenant_, made.subscription.id).value();
  EXPECT_EQ(now_stored.description, "e");
  EXPECT_EQ(now_stored.type, "a");
  EXPECT_TRUE(now_stored.settings.ordered);
  EXPECT_FALSE(now_stored.settings.deadline.has_value());
  EXPECT_EQ(now_stored.created_at, made.subscription.created_at);
  EXPECT_GT(now_stored.updated_at, made.subscription.updated_at);
  EXPECT_EQ(now_stored.revision, 2U);
}

TEST_F(Subscriptions, ANewUrlMeansANewEndpointAndTellsTheOld) {
  const auto made = create(tenant_, R"({"url": "https://example.com/a"})").value();
  const auto changed =
      update(tenant_, made.subscription.id, R"({"url": "https://example.com/b"})").value();
  EXPECT_EQ(changed.previous_endpoint, made.subscription.endpoint);
  EXPECT_NE(changed.subscription.endpoint, made.subscription.endpoint);
  EXPECT_EQ(index_->endpoint_of(tenant_, made.subscription.id), changed.subscription.endpoint);
  EXPECT_EQ(update(tenant_, made.subscription.id, R"({"url": null})").error().code,
            ErrorCode::kInvalid);
  EXPECT_EQ(update(tenant_, made.subscription.id, R"({"url": "http://127.0.0.1/"})").error().code,
            ErrorCode::kInvalid);
}

TEST_F(Subscriptions, RacingUpdatesAreAllMade) {
  const auto made = create(tenant_, R"({"url": "https://example.com/"})").value();
  int done = 0;
  for (const char* body : {R"({"description": "d"})", R"({"object_code": "TASK"})",
                           R"({"object_id": "42"})", R"({"ordered": true})"}) {
    subscriptions().update(tenant_, made.subscription.id, parser_.parse(body).value(),
                           [&](const base::Result<ChangedSubscription>& result) {
                             EXPECT_TRUE(result.has_value());
                             ++done;
                           });
  }
  ASSERT_TRUE(run_until([&] { return done == 4; }));
  const Subscription stored = find(tenant_, made.subscription.id).value();
  EXPECT_EQ(stored.revision, 5U);
  EXPECT_EQ(stored.description, "d");
  EXPECT_EQ(stored.object_code, "TASK");
  EXPECT_EQ(stored.object_id, "42");
  EXPECT_TRUE(stored.settings.ordered);
}

TEST_F(Subscriptions, SettingsAreToldWhenTheyDifferOrCeaseTo) {
  const auto made = create(tenant_, R"({"url": "https://example.com/", "in_flight_max": 2,
      "retry": {"delays": ["1s"]}})")
                        .value();
  ASSERT_EQ(settings_told_.size(), 1U);
  EXPECT_EQ(settings_told_[0].id, made.subscription.id);
  EXPECT_EQ(settings_told_[0].in_flight_max, 2U);
  restart();
  ASSERT_EQ(settings_told_.size(), 1U);
  EXPECT_EQ(settings_told_[0].retry->delays, (std::vector{Duration::seconds(1)}));
  ASSERT_TRUE(update(tenant_, made.subscription.id, R"({"in_flight_max": null, "retry": null})")
                  .has_value());
  ASSERT_EQ(settings_told_.size(), 2U);
  EXPECT_FALSE(settings_told_[1].in_flight_max.has_value());
  ASSERT_TRUE(update(tenant_, made.subscription.id, R"({"description": "d"})").has_value());
  EXPECT_EQ(settings_told_.size(), 2U);
}

TEST_F(Subscriptions, OwnRetrySchedulesComeWithTheMatch) {
  const auto own = create(tenant_, R"({"url": "https://example.com/", "type": "a",
      "retry": {"delays": ["1s", "8d"]}})")
                       .value();
  const auto plain = create(tenant_, R"({"url": "https://example.com/", "type": "b"})").value();
  const auto matched = [&](const Subscription& it) {
    const match::Match match{.id = it.id, .endpoint = it.endpoint};
    return subscriptions().matched({&match, 1}).at(0);
  };
  ASSERT_NE(matched(own.subscription).schedule, nullptr);
  EXPECT_EQ(matched(own.subscription).schedule->slots().back(), Duration::hours(8 * 24));
  EXPECT_EQ(matched(plain.subscription).schedule, nullptr);
  ASSERT_TRUE(update(tenant_, own.subscription.id, R"({"retry": null})").has_value());
  EXPECT_EQ(matched(own.subscription).schedule, nullptr);
}

TEST_F(Subscriptions, ARemovedOneIsGoneBeforeTheAnswerAndToldAtEachStart) {
  const auto made = create(tenant_, R"({"url": "https://example.com/"})").value();
  ASSERT_TRUE(remove(tenant_, made.subscription.id).has_value());
  EXPECT_EQ(count_of(removed_told_, made.subscription.id), 1U);
  EXPECT_TRUE(matches(tenant_, "a").empty());
  EXPECT_EQ(find(tenant_, made.subscription.id).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(remove(tenant_, made.subscription.id).error().code, ErrorCode::kNotFound);
  restart();
  EXPECT_EQ(count_of(removed_told_, made.subscription.id), 1U);
  run_for(Duration::hours(48));
  restart();
  EXPECT_EQ(count_of(removed_told_, made.subscription.id), 1U);
}

TEST_F(Subscriptions, WhatWasRemovedIsForgottenWhenNoDeliveryCanBeLeft) {
  const auto made = create(tenant_, R"({"url": "https://example.com/",
      "retry": {"delays": ["8d"]}})")
                        .value();
  // The longest schedule it ever had counts.
  ASSERT_TRUE(update(tenant_, made.subscription.id, R"({"retry": null})").has_value());
  ASSERT_TRUE(remove(tenant_, made.subscription.id).has_value());
  run_for(Duration::hours(24 * 9));
  restart();
  run_for(Duration::minutes(1));
  EXPECT_EQ(documents(model::Table::kJobs).size(), 1U);
  run_for(Duration::hours(24 * 9));
  restart();
  EXPECT_EQ(count_of(removed_told_, made.subscription.id), 1U);
  run_for(Duration::minutes(1));
  EXPECT_TRUE(documents(model::Table::kJobs).empty());
}

TEST_F(Subscriptions, ForeignOnesAreNotThere) {
  const auto made = create(tenant_, R"({"url": "https://example.com/"})").value();
  const base::TenantId other = new_tenant("other");
  EXPECT_EQ(find(other, made.subscription.id).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(update(other, made.subscription.id, R"({"type": "a"})").error().code,
            ErrorCode::kNotFound);
  EXPECT_EQ(rotate(other, made.subscription.id, "{}").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(remove(other, made.subscription.id).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(find(tenant_, made.subscription.id).value().revision, 1U);
}

TEST_F(Subscriptions, AreListedInTheOrderOfTheirMaking) {
  Ids made;
  for (int i = 0; i < 5; ++i) {
    made.push_back(create(tenant_, R"({"url": "https://example.com/)" + std::to_string(i) + R"("})")
                       .value()
                       .subscription.id);
  }
  ASSERT_TRUE(std::ranges::is_sorted(made));
  Ids seen;
  for (bool is_complete = false; !is_complete;) {
    const base::SubscriptionId after = seen.empty() ? base::SubscriptionId() : seen.back();
    const auto page = ask<registry::SubscriptionPage>([&](auto done) {
                        subscriptions().list(tenant_, after, 2, done);
                      }).value();
    for (const Subscription& it : page.subscriptions) {
      seen.push_back(it.id);
    }
    is_complete = page.complete;
  }
  EXPECT_EQ(seen, made);
}

TEST_F(Subscriptions, SecretsAreNeitherStoredNorShown) {
  const auto made = create(tenant_, R"({"url": "https://example.com/",
      "bearer_token": "hunter2-token", "headers": {"X-Key": "hunter2-header"}})")
                        .value();
  const std::string secret(made.signing_secret.text().substr(6));
  ASSERT_EQ(documents(model::Table::kSubscriptions).size(), 1U);
  const std::string stored = documents(model::Table::kSubscriptions)[0].value;
  const std::string answer = shown(find(tenant_, made.subscription.id).value());
  for (const std::string& text : {stored, answer}) {
    EXPECT_EQ(text.find(secret), std::string::npos);
    EXPECT_EQ(text.find("hunter2"), std::string::npos);
  }
  const std::string last_four = secret.substr(secret.find('=') - 4, 4);
  EXPECT_NE(answer.find("whsec_…" + last_four), std::string::npos) << answer;
  EXPECT_NE(answer.find(R"("bearer_token":"…")"), std::string::npos) << answer;
  EXPECT_NE(answer.find(R"("headers":{"X-Key":"…"})"), std::string::npos) << answer;
}

TEST_F(Subscriptions, EverythingThatWasSaidIsShown) {
  const auto made = create(tenant_, R"({"url": "https://example.com/", "type": "order.*",
      "object_code": "TASK", "object_id": "42", "filters": [{"fieldName": "a", "fieldValue": 1}],
      "filter_connector": "OR", "description": "d", "signing": {"scheme": "v1a"},
      "ordered": true, "rate_limit": {"count": 10, "period": "1m"}, "in_flight_max": 3,
      "deadline": "2s", "retry": {"unit": "1s", "max_retries": 3}})")
                        .value();
  restart();
  const std::string answer = shown(find(tenant_, made.subscription.id).value());
  for (const char* part :
       {R"("url":"https://example.com/")", R"("type":"order.*")", R"("object_code":"TASK")",
        R"("object_id":"42")", R"("filters":[{"fieldName":"a","fieldValue":1}])",
        R"("filter_connector":"OR")", R"("description":"d")", R"("scheme":"v1a")",
        R"("public_key":"whpk_)", R"("ordered":true)", R"("rate_limit":{"count":10,"period":"1m"})",
        R"("in_flight_max":3)", R"("deadline":"2s")", R"("anchor":"queued","unit":"1s")",
        R"("max_retries":3)", R"("revision":1)", R"("bearer_token":null)",
        R"("client_certificate":null)"}) {
    EXPECT_NE(answer.find(part), std::string::npos) << part << "\n" << answer;
  }
  EXPECT_TRUE(parser_.parse(answer).has_value());
}

TEST_F(Subscriptions, AnUnclearCommitIsAskedAboutUntilItIsClear) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    store_.set_faults({.commit_delay_min = Duration::ms(1),
                       .commit_delay_max = Duration::ms(2),
                       .unclear_per_mille = 600});
    const std::string body =
        R"({"url": "https://example.com/)" + std::to_string(seed) + R"(", "type": "t"})";
    const auto made = create(tenant_, body);
    ASSERT_TRUE(made.has_value()) << made.error().detail;
    const auto changed = update(tenant_, made->subscription.id, R"({"description": "d"})");
    ASSERT_TRUE(changed.has_value()) << changed.error().detail;
    EXPECT_EQ(find(tenant_, made->subscription.id).value().revision, 2U);
    ASSERT_TRUE(remove(tenant_, made->subscription.id).has_value());
  }
  store_.set_faults({});
  restart();
  EXPECT_TRUE(matches(tenant_, "t").empty());
}

TEST_F(Subscriptions, AFailedCommitChangesNothing) {
  const auto made = create(tenant_, R"({"url": "https://example.com/", "type": "a"})").value();
  store_.set_faults({.failed_per_mille = 1000});
  EXPECT_EQ(update(tenant_, made.subscription.id, R"({"type": "b"})").error().code,
            ErrorCode::kUnavailable);
  EXPECT_EQ(create(tenant_, R"({"url": "https://example.com/", "type": "c"})").error().code,
            ErrorCode::kUnavailable);
  EXPECT_EQ(remove(tenant_, made.subscription.id).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(matches(tenant_, "a"), (Ids{made.subscription.id}));
  EXPECT_TRUE(matches(tenant_, "b").empty());
  store_.set_faults({});
  EXPECT_TRUE(create(tenant_, R"({"url": "https://example.com/", "type": "c"})").has_value());
  EXPECT_TRUE(create(tenant_, R"({"url": "https://example.com/", "type": "b"})").has_value());
}

}  // namespace
}  // namespace registry_tests
