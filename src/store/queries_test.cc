// What people can ask of a store, on a real one.

#include "store/queries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/codec.h"
#include "store/keys.h"
#include "store/upkeep_rig.h"

namespace store {
namespace {

using base::Duration;
using base::Instant;
using model::Delivery;
using model::EndState;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr base::TenantId kTenant{1};
constexpr base::TenantId kOther{2};

class QueriesTest : public ::testing::Test {
 protected:
  template <class Answer>
  static Answer wait_for(const std::function<void(Engine::Done<Answer>)>& ask) {
    auto answer = UpkeepRig::wait_for<base::Result<Answer>>(ask);
    CHECK(answer.has_value());
    return *std::move(answer);
  }

  std::optional<EventStory> find_event(const EventQuery& query) {
    return wait_for<std::optional<EventStory>>(
        [&](auto done) { rig_.engine().find_event(query, std::move(done)); });
  }
  std::optional<EventStory> find_delivery(base::TenantId tenant, base::DeliveryId delivery) {
    return wait_for<std::optional<EventStory>>(
        [&](auto done) { rig_.engine().find_delivery(tenant, delivery, std::move(done)); });
  }
  DeliveryPage list(const DeliveryQuery& query) {
    return wait_for<DeliveryPage>([&](auto done) {
      rig_.engine().list_deliveries(query, [this] { return now_; }, std::move(done));
    });
  }
  // The ids of all pages, one after the other.
  std::vector<base::DeliveryId> list_all(DeliveryQuery query) {
    std::vector<base::DeliveryId> ids;
    pages_ = 0;
    do {
      const DeliveryPage page = list(query);
      for (const ListedDelivery& listed : page.deliveries) {
        ids.push_back(listed.delivery.id);
      }
      query.before = page.next;
      pages_ += 1;
    } while (query.before);
    return ids;
  }
  HistoryPage history(const HistoryQuery& query) {
    return wait_for<HistoryPage>(
        [&](auto done) { rig_.engine().read_history(query, std::move(done)); });
  }
  Stats stats(const StatsQuery& query) {
    return wait_for<Stats>([&](auto done) { rig_.engine().read_stats(query, std::move(done)); });
  }
  std::vector<std::optional<EndpointFacts>> endpoints(const std::vector<base::EndpointId>& ids) {
    return wait_for<std::vector<std::optional<EndpointFacts>>>(
        [&](auto done) { rig_.engine().read_endpoints(ids, std::move(done)); });
  }

  // The core writes what it knows of an endpoint.
  void write_endpoint(Instant at, const model::EndpointRecord& record,
                      const std::vector<model::Transition>& transitions = {}) {
    Batch batch;
    batch.sections.push_back(rig_.section_of(record.id.shard(), {}));
    batch.sections.back().endpoints.push_back(record);
    batch.sections.back().transitions = transitions;
    CHECK(rig_.commit(at, std::move(batch)).sections.front().status == Status::kCommitted);
  }

  UpkeepRig rig_;
  Instant now_ = kRigStart;
  int pages_ = 0;
};

// --- Stories ---

TEST_F(QueriesTest, AnEventIsFoundByItsSequenceAndByItsKey) {
  const Delivery delivery =
      rig_.publish(kRigStart, {.payload = "{}", .unique_key = "order-7", .type = "order.paid"});
  const auto by_sequence = find_event({.tenant = kTenant, .sequence = delivery.id.sequence()});
  ASSERT_TRUE(by_sequence);
  EXPECT_EQ(by_sequence->content.type, "order.paid");
  EXPECT_EQ(by_sequence->content.payload, "{}");
  EXPECT_EQ(by_sequence->head.unique_key, "order-7");
  const auto by_key = find_event({.tenant = kTenant, .sequence = 0, .unique_key = "order-7"});
  ASSERT_TRUE(by_key);
  EXPECT_EQ(by_key->sequence, delivery.id.sequence());
}

TEST_F(QueriesTest, NothingIsToldOfAnotherTenantsEvent) {
  const Delivery delivery = rig_.publish(kRigStart, {.unique_key = "order-7"});
  EXPECT_FALSE(find_event({.tenant = kOther, .sequence = delivery.id.sequence()}));
  EXPECT_FALSE(find_event({.tenant = kOther, .sequence = 0, .unique_key = "order-7"}));
  EXPECT_FALSE(find_delivery(kOther, delivery.id));
  EXPECT_TRUE(find_delivery(kTenant, delivery.id));
}

TEST_F(QueriesTest, WhatNeverWasIsNotFound) {
  const Delivery delivery = rig_.publish(kRigStart, {});
  EXPECT_FALSE(find_event({.tenant = kTenant, .sequence = delivery.id.sequence() + 1}));
  EXPECT_FALSE(find_event({.tenant = kTenant, .sequence = 0, .unique_key = "none"}));
  EXPECT_FALSE(find_delivery(kTenant, {delivery.id.value + 1}));
  EXPECT_FALSE(find_delivery(kTenant, {0}));
}

TEST_F(QueriesTest, AWaitingDeliveryIsToldAsItWaitsWithItsAttempts) {
  const Delivery queued = rig_.publish(kRigStart, {});
  const Delivery waiting = rig_.fail(kRigStart + Duration::seconds(1), queued);
  const auto story = find_delivery(kTenant, queued.id);
  ASSERT_TRUE(story);
  ASSERT_EQ(story->deliveries.size(), 1U);
  const DeliveryStory& told = story->deliveries.front();
  EXPECT_EQ(told.delivery.due, waiting.due);
  EXPECT_EQ(told.delivery.attempts, 1U);
  EXPECT_FALSE(told.end);
  ASSERT_EQ(told.outcomes.size(), 1U);
  EXPECT_EQ(told.outcomes.front().attempt->outcome.status, 503);
  EXPECT_EQ(told.outcomes.front().next_due, waiting.due);
}

TEST_F(QueriesTest, AnEndWithoutAnAttemptIsTheLastOfTheStory) {
  const Delivery queued = rig_.publish(kRigStart, {});
  const Delivery waiting = rig_.fail(kRigStart, queued);
  const Instant later = kRigStart + Duration::hours(50);
  rig_.end(later, waiting, EndState::kDropped);
  const auto story = find_delivery(kTenant, queued.id);
  ASSERT_TRUE(story);
  const DeliveryStory& told = story->deliveries.front();
  EXPECT_EQ(told.end, EndState::kDropped);
  EXPECT_EQ(told.ended_at, later);
  ASSERT_EQ(told.outcomes.size(), 2U);
  EXPECT_TRUE(told.outcomes.front().attempt);
  EXPECT_FALSE(told.outcomes.back().attempt);
}

TEST_F(QueriesTest, AsManyDeliveriesOfAnEventAreToldAsWereAskedFor) {
  const Delivery first = rig_.publish(kRigStart, {.fan_out = 5});
  const auto story = find_event({.tenant = kTenant,
                                 .sequence = first.id.sequence(),
                                 .unique_key = {},
                                 .first_delivery = 1,
                                 .deliveries_max = 3});
  ASSERT_TRUE(story);
  EXPECT_EQ(story->head.deliveries.size(), 5U);
  ASSERT_EQ(story->deliveries.size(), 3U);
  EXPECT_EQ(story->deliveries.front().delivery.id.value, first.id.value + 1);
  const auto beyond = find_event(
      {.tenant = kTenant, .sequence = first.id.sequence(), .unique_key = {}, .first_delivery = 9});
  ASSERT_TRUE(beyond);
  EXPECT_THAT(beyond->deliveries, IsEmpty());
}

TEST_F(QueriesTest, WhatIsBeingRemovedIsNotFoundAndNotListed) {
  const Delivery gone = rig_.publish(kRigStart, {});
  const Delivery stays = rig_.publish(kRigStart, {});
  {
    const std::unique_ptr<Database> database = rig_.open_raw();
    const std::vector<SequenceRange> ranges = {{.from = 0, .until = gone.id.sequence() + 1}};
    const auto status =
        database->db().Put({}, database->family(Family::kMeta), std::string(kRemovingKey),
                           encode_ranges(kRemovingKey, ranges));
    ASSERT_TRUE(status.ok());
  }
  rig_.open();
  EXPECT_FALSE(find_delivery(kTenant, gone.id));
  EXPECT_TRUE(find_delivery(kTenant, stays.id));
  EXPECT_THAT(list_all({.filter = {.tenant = kTenant}}), ElementsAre(stays.id));
}

// --- Lists ---

TEST_F(QueriesTest, TheNewestDeliveriesComeFirstAndPagesJoinWithoutGapOrRepeat) {
  std::vector<base::DeliveryId> ids;
  for (int i = 0; i < 7; ++i) {
    ids.insert(ids.begin(), rig_.publish(kRigStart, {}).id);
  }
  EXPECT_EQ(list_all({.filter = {.tenant = kTenant}, .before = {}, .limit = 3}), ids);
  EXPECT_EQ(pages_, 3);
}

TEST_F(QueriesTest, APageMayEndWithinAnEvent) {
  const Delivery first = rig_.publish(kRigStart, {.fan_out = 5});
  const std::vector<base::DeliveryId> ids =
      list_all({.filter = {.tenant = kTenant}, .before = {}, .limit = 2});
  ASSERT_EQ(ids.size(), 5U);
  EXPECT_EQ(ids.front().value, first.id.value + 4);
  EXPECT_EQ(ids.back(), first.id);
}

TEST_F(QueriesTest, OnlyTheTenantsOwnDeliveriesAreListed) {
  rig_.publish(kRigStart, {.tenant = kOther.value});
  const Delivery mine = rig_.publish(kRigStart, {.tenant = kTenant.value});
  rig_.publish(kRigStart, {.tenant = kOther.value});
  EXPECT_THAT(list_all({.filter = {.tenant = kTenant}}), ElementsAre(mine.id));
}

TEST_F(QueriesTest, AListIsFilteredByState) {
  const Delivery delivered = rig_.publish(kRigStart, {});
  const Delivery dropped = rig_.publish(kRigStart, {});
  const Delivery cancelled = rig_.publish(kRigStart, {});
  const Delivery waiting = rig_.publish(kRigStart, {});
  const Delivery fresh = rig_.publish(kRigStart, {});
  rig_.deliver(kRigStart, delivered);
  rig_.end(kRigStart, rig_.fail(kRigStart, dropped), EndState::kDropped);
  rig_.end(kRigStart, cancelled, EndState::kCancelled);
  rig_.fail(kRigStart, waiting);
  const auto in = [&](DeliveryState state) {
    return list_all({.filter = {.tenant = kTenant, .state = state}});
  };
  EXPECT_THAT(in(DeliveryState::kDelivered), ElementsAre(delivered.id));
  EXPECT_THAT(in(DeliveryState::kDropped), ElementsAre(dropped.id));
  EXPECT_THAT(in(DeliveryState::kCancelled), ElementsAre(cancelled.id));
  EXPECT_THAT(in(DeliveryState::kUnfinished), ElementsAre(fresh.id, waiting.id));
}

TEST_F(QueriesTest, AListIsFilteredByEndpointSubscriptionTypeAndTime) {
  const Instant later = kRigStart + Duration::minutes(30);
  const Delivery first = rig_.publish(kRigStart, {.endpoint = 1, .type = "order.paid"});
  const Delivery second = rig_.publish(later, {.endpoint = 2, .type = "order.sent"});
  const auto only = [&](DeliveryFilter filter) {
    filter.tenant = kTenant;
    return list_all({.filter = std::move(filter)});
  };
  EXPECT_THAT(only({.tenant = {}, .endpoint = first.endpoint}), ElementsAre(first.id));
  EXPECT_THAT(only({.tenant = {}, .subscription = second.subscription}), ElementsAre(second.id));
  DeliveryFilter by_type;
  by_type.wants_type = [](std::string_view type) { return type == "order.paid"; };
  EXPECT_THAT(only(by_type), ElementsAre(first.id));
  DeliveryFilter since;
  since.from = later;
  EXPECT_THAT(only(since), ElementsAre(second.id));
  DeliveryFilter before;
  before.until = later;
  EXPECT_THAT(only(before), ElementsAre(first.id));
  DeliveryFilter between;
  between.from = kRigStart + Duration::ms(1);
  between.until = later;
  EXPECT_THAT(only(between), IsEmpty());
}

TEST_F(QueriesTest, AListedDeliveryTellsItsLastOutcome) {
  const Delivery queued = rig_.publish(kRigStart, {});
  const Delivery waiting = rig_.fail(kRigStart, queued);
  rig_.end(kRigStart, rig_.fail(kRigStart, rig_.publish(kRigStart, {})), EndState::kDropped);
  const DeliveryPage page = list({.filter = {.tenant = kTenant}});
  ASSERT_EQ(page.deliveries.size(), 2U);
  const ListedDelivery& dropped = page.deliveries.front();
  EXPECT_EQ(dropped.end, EndState::kDropped);
  EXPECT_EQ(dropped.attempts, 1U);
  const ListedDelivery& listed = page.deliveries.back();
  EXPECT_EQ(listed.delivery.due, waiting.due);
  EXPECT_EQ(listed.attempts, 1U);
  EXPECT_EQ(listed.last->attempt->outcome.status, 503);
  EXPECT_EQ(listed.event_type, "test");
}

TEST_F(QueriesTest, APageEndsWhenItsBudgetIsSpentAndSaysHowFarItCame) {
  std::vector<base::DeliveryId> ids;
  for (int i = 0; i < 6; ++i) {
    const Instant at = kRigStart + Duration::minutes(i);
    ids.insert(ids.begin(), rig_.publish(at, {}).id);
  }
  const DeliveryQuery two_records{.filter = {.tenant = kOther},
                                  .budget = {.records = 2, .time = Duration::hours(1)}};
  const DeliveryPage page = list(two_records);
  EXPECT_THAT(page.deliveries, IsEmpty());
  EXPECT_TRUE(page.next);
  EXPECT_EQ(page.searched_to, kRigStart + Duration::minutes(4));

  const DeliveryQuery no_time{.filter = {.tenant = kTenant}, .budget = {.time = Duration()}};
  EXPECT_EQ(list_all(no_time), ids) << "each page must come further than the one before";
  EXPECT_GT(pages_, 5);
}

TEST_F(QueriesTest, WhatWasLookedAtInFullSaysSo) {
  rig_.publish(kRigStart, {});
  DeliveryQuery query{.filter = {.tenant = kTenant}};
  query.filter.from = kRigStart - Duration::hours(1);
  const DeliveryPage page = list(query);
  EXPECT_FALSE(page.next);
  EXPECT_EQ(page.searched_to, query.filter.from);
}

TEST_F(QueriesTest, WhatEndedAtAnEndpointIsFoundWithoutLookingAtWhatCameLater) {
  const Delivery old = rig_.publish(kRigStart, {.endpoint = 1});
  rig_.end(kRigStart, old, EndState::kDropped);
  const Instant later = kRigStart + Duration::hours(5);
  rig_.publish_all(later, std::vector<RigEvent>(50, {.endpoint = 2}));
  rig_.publish_all(later + Duration::hours(1), std::vector<RigEvent>(50, {.endpoint = 2}));
  DeliveryQuery query{.filter = {.tenant = kTenant, .state = DeliveryState::kDropped}};
  query.filter.endpoint = old.endpoint;
  query.budget.records = 5;
  EXPECT_EQ(list(query).deliveries.size(), 1U);
  query.filter.state = DeliveryState::kCancelled;
  EXPECT_FALSE(list(query).next) << "nothing was ever cancelled there";
}

TEST_F(QueriesTest, WhatWasDeliveredThisHourIsFoundBeforeItsCountsAreRows) {
  const Delivery delivery = rig_.publish(kRigStart, {});
  rig_.deliver(kRigStart, delivery);
  DeliveryQuery query{.filter = {.tenant = kTenant, .state = DeliveryState::kDelivered}};
  query.filter.endpoint = delivery.endpoint;
  EXPECT_EQ(list(query).deliveries.size(), 1U);
}

// --- Endpoints ---

TEST_F(QueriesTest, EndpointsAreToldInTheOrderAskedFor) {
  model::EndpointRecord record;
  record.id = UpkeepRig::endpoint(3);
  record.tenant = kTenant;
  record.consecutive_failures = 12;
  write_endpoint(kRigStart, record);
  const Delivery waiting = rig_.fail(kRigStart, rig_.publish(kRigStart, {.endpoint = 3}));
  const auto all = endpoints({UpkeepRig::endpoint(4), record.id});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_FALSE(all.front());
  ASSERT_TRUE(all.back());
  EXPECT_EQ(all.back()->stored.record.consecutive_failures, 12U);
  EXPECT_EQ(all.back()->earliest_due, waiting.due);
}

TEST_F(QueriesTest, AnEndpointTellsWhatChangedItsStateLast) {
  model::EndpointRecord record;
  record.id = UpkeepRig::endpoint(3);
  record.tenant = kTenant;
  record.state = model::CircuitState::kDisabled;
  model::Transition disabled{.endpoint = record.id, .at = kRigStart};
  disabled.reason = model::TransitionReason::kConsecutiveFailures;
  model::Transition paused{.endpoint = record.id, .at = kRigStart + Duration::hours(1)};
  paused.reason = model::TransitionReason::kPausedByHand;
  write_endpoint(kRigStart, record);
  EXPECT_FALSE(endpoints({record.id}).front()->last_change);
  write_endpoint(paused.at, record, {disabled, paused});
  const auto change = endpoints({record.id}).front()->last_change;
  ASSERT_TRUE(change);
  EXPECT_EQ(change->reason, model::TransitionReason::kConsecutiveFailures);
}

TEST_F(QueriesTest, HistoryComesNewestFirstInPages) {
  model::EndpointRecord record;
  record.id = UpkeepRig::endpoint(3);
  record.tenant = kTenant;
  model::EndpointRecord neighbour = record;
  neighbour.id.value += 1;
  for (uint32_t i = 1; i <= 5; ++i) {
    model::Transition transition{.endpoint = record.id, .at = kRigStart + Duration::hours(i)};
    transition.attempts = i;
    write_endpoint(transition.at, record, {transition});
    transition.endpoint = neighbour.id;
    write_endpoint(transition.at, neighbour, {transition});
  }
  std::vector<uint32_t> seen;
  HistoryQuery query{.endpoint = record.id, .before = {}, .limit = 2};
  do {
    const HistoryPage page = history(query);
    for (const model::Transition& transition : page.transitions) {
      EXPECT_EQ(transition.endpoint, record.id);
      seen.push_back(transition.attempts);
    }
    query.before = page.next;
  } while (!query.before.empty());
  EXPECT_THAT(seen, ElementsAre(5U, 4U, 3U, 2U, 1U));
  EXPECT_THAT(history({.endpoint = UpkeepRig::endpoint(9)}).transitions, IsEmpty());
}

// --- Figures ---

TEST_F(QueriesTest, FiguresCountWhatIsInRowsAndWhatIsNotYet) {
  const Delivery first = rig_.publish(kRigStart, {});
  rig_.deliver(kRigStart, first);
  rig_.fail(kRigStart, rig_.publish(kRigStart, {}));
  const int64_t hour = kRigStart.hour();
  StatsQuery query{.tenant = kTenant,
                   .endpoint = first.endpoint,
                   .endpoints = {first.endpoint},
                   .from_hour = hour,
                   .until_hour = hour + 1};
  const auto expect_both = [&](const char* when) {
    const Stats figures = stats(query);
    ASSERT_EQ(figures.hours.size(), 1U) << when;
    EXPECT_EQ(figures.hours.front().hour, hour);
    EXPECT_EQ(figures.hours.front().counts.attempts, 2U) << when;
    EXPECT_EQ(figures.hours.front().counts.failures, 1U) << when;
    EXPECT_EQ(figures.hours.front().counts.delivered, 1U) << when;
  };
  expect_both("before the record is written");
  model::EndpointRecord record;
  record.id = first.endpoint;
  record.tenant = kTenant;
  record.successes = 1;
  write_endpoint(kRigStart, record);
  expect_both("when the record has the counts");
  write_endpoint(kRigStart + Duration::hours(1), record);
  expect_both("when they are rows");
  query.until_hour = hour;
  EXPECT_THAT(stats(query).hours, IsEmpty());
}

TEST_F(QueriesTest, FiguresOfATenantAddUpItsEndpointsWithinTheHoursAskedFor) {
  const auto drop_at = [&](Instant at, const RigEvent& event) {
    rig_.end(at, rig_.publish(at, event), EndState::kDropped);
  };
  for (int i = 0; i < 4; ++i) {
    const Instant at = kRigStart + Duration::hours(i);
    drop_at(at, {.tenant = kTenant.value, .endpoint = 1});
    drop_at(at, {.tenant = kTenant.value, .endpoint = 2});
    drop_at(at, {.tenant = kOther.value, .endpoint = 3});
  }
  const int64_t hour = kRigStart.hour();
  StatsQuery query{
      .tenant = kTenant, .endpoints = {}, .from_hour = hour + 1, .until_hour = hour + 3};
  const Stats figures = stats(query);
  EXPECT_TRUE(figures.is_complete);
  ASSERT_EQ(figures.hours.size(), 2U);
  for (const HourlyCounts& counted : figures.hours) {
    EXPECT_EQ(counted.counts.dropped, 2U);
  }
  query.subscription = base::SubscriptionId{2};
  ASSERT_EQ(stats(query).hours.size(), 2U);
  EXPECT_EQ(stats(query).hours.front().counts.dropped, 1U);
  query.subscription = {};
  query.records_max = 3;
  EXPECT_FALSE(stats(query).is_complete);
}

}  // namespace
}  // namespace store
