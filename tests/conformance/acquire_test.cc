// Acquiring shards: a new epoch, and everything that a new owner must know.

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "tests/conformance/describe.h"
#include "tests/conformance/store_suite.h"

namespace conformance {
namespace {

using base::EndpointId;
using base::Instant;
using model::Delivery;
using model::ShardSnapshot;
using model::TailDelivery;
using store::Status;

class Acquiring : public StoreSuite {
 protected:
  static std::vector<base::DeliveryId> ids_of_tail(const ShardSnapshot& snapshot) {
    std::vector<base::DeliveryId> ids;
    for (const TailDelivery& entry : snapshot.tail) {
      ids.push_back(entry.delivery.id);
    }
    return ids;
  }

  void raise_low_water(base::Sequence mark) {
    EXPECT_TRUE(commit({.publishes = {}, .sections = {}, .low_water = mark}).publishes.empty());
  }

  // The one delivery of the tail.
  static TailDelivery only(const ShardSnapshot& snapshot) {
    EXPECT_EQ(snapshot.tail.size(), 1U);
    return snapshot.tail.empty() ? TailDelivery() : snapshot.tail.front();
  }
};

HOLD_EVERY_STORE_TO(Acquiring);

TEST_P(Acquiring, GivesANewEpochWhoseNumbersBeginAtOne) {
  const uint64_t before = epoch();
  EXPECT_EQ(write(next_section()).status, Status::kCommitted);
  EXPECT_EQ(write(next_section()).status, Status::kCommitted);
  own(kShard);
  EXPECT_GT(epoch(), before);
  EXPECT_EQ(write(next_section()).number, 1U);
}

TEST_P(Acquiring, EpochsGrowAcrossRestarts) {
  uint64_t last = epoch();
  for (int round = 0; round < 3; ++round) {
    restart();
    EXPECT_GT(epoch(), last);
    last = epoch();
    EXPECT_EQ(write(next_section()).status, Status::kCommitted);
  }
}

TEST_P(Acquiring, ShardsHaveEpochsOfTheirOwn) {
  const uint64_t third = epoch();
  const uint64_t fourth = acquire(4).epoch;
  EXPECT_EQ(write(next_section()).status, Status::kCommitted);
  own(kShard);
  EXPECT_GT(epoch(), third);
  model::Section section{.shard = 4, .epoch = fourth, .number = 1};
  EXPECT_EQ(write(section).status, Status::kCommitted);
}

TEST_P(Acquiring, AllShardsAtOnceAreAnsweredInTheOrderAskedFor) {
  publish(event_with(1, {{.endpoint = EndpointId::make(0, 1)},
                         {.endpoint = EndpointId::make(255, 1)},
                         {.endpoint = EndpointId::make(kShard, 1)}}));
  std::vector<base::ShardId> shards(base::kShardCount);
  std::iota(shards.rbegin(), shards.rend(), base::ShardId{0});
  const std::vector<ShardSnapshot> snapshots = acquire_all(shards);
  ASSERT_EQ(snapshots.size(), shards.size());
  for (size_t i = 0; i < shards.size(); ++i) {
    EXPECT_EQ(snapshots[i].shard, shards[i]);
    const bool has_work = shards[i] == 0 || shards[i] == 255 || shards[i] == kShard;
    EXPECT_EQ(snapshots[i].tail.size(), has_work ? 1U : 0U);
    EXPECT_EQ(snapshots[i].endpoints.size(), has_work ? 1U : 0U);
  }
}

TEST_P(Acquiring, AnEmptyShardHasNothing) {
  publish_one({});
  const ShardSnapshot snapshot = acquire(4);
  EXPECT_TRUE(snapshot.endpoints.empty());
  EXPECT_TRUE(snapshot.tail.empty());
  EXPECT_EQ(snapshot.next_expiry, Instant::never());
}

TEST_P(Acquiring, EndpointsComeWithTheirRecords) {
  model::EndpointRecord record;
  record.id = kEndpoint;
  record.tenant = kTenant;
  record.state = model::CircuitState::kDisabled;
  record.paused = true;
  record.last_attempt_failed = true;
  record.disabled_was_published = true;
  record.publications_withheld = 3;
  record.disabled_published_at = after(11);
  record.consecutive_failures = 2'001;
  record.since_enable = {.attempts = 100, .failures = 71};
  record.window.newest_hour = 497'222;
  for (uint32_t hour = 0; hour < model::HourlyWindow::kHours; ++hour) {
    record.window.buckets[hour] = {.attempts = hour * 1'000, .failures = hour};
  }
  record.successes = 1ULL << 40U;
  record.failures = 17;
  record.first_attempt_at = after(1);
  record.last_success_at = after(2);
  record.enabled_at = after(3);
  record.disabled_at = after(4);
  record.frozen_at = after(5);
  record.released_at = after(6);
  record.not_before = after(7);
  record.probe_from = after(8);
  record.unfinished = 12;
  record.last_queued = base::DeliveryId::make(5, 6);
  model::Section section = next_section();
  section.endpoints.push_back(record);
  ASSERT_EQ(write(section).status, Status::kCommitted);
  for (int round = 0; round < 2; ++round) {
    const ShardSnapshot snapshot = acquire();
    ASSERT_EQ(snapshot.endpoints.size(), 1U);
    EXPECT_EQ(describe(snapshot.endpoints[0].record), describe(record));
    EXPECT_TRUE(snapshot.endpoints[0].queues.empty());
    harness().crash_and_reopen();
  }
}

TEST_P(Acquiring, TheNewestRecordOfAnEndpointCounts) {
  for (uint64_t successes = 1; successes <= 3; ++successes) {
    model::Section section = next_section();
    for (const uint64_t number : {2U, 1U}) {
      model::EndpointRecord record;
      record.id = EndpointId::make(kShard, number);
      record.tenant = kTenant;
      record.successes = successes * 10 + number;
      section.endpoints.push_back(record);
    }
    write(section);
  }
  const ShardSnapshot snapshot = acquire();
  ASSERT_EQ(snapshot.endpoints.size(), 2U);
  EXPECT_EQ(snapshot.endpoints[0].record.successes, 31U);
  EXPECT_EQ(snapshot.endpoints[1].record.successes, 32U);
}

TEST_P(Acquiring, QueuesComeWithTheirBeginningsPerRange) {
  publish_one({.queued = 30});
  publish_one({.queued = 10});
  const Delivery retried = publish_one({.queued = 5});
  publish_one({.subscription = 8, .queue = {8}, .queued = 40});
  const Delivery moved = publish_one({.subscription = 9, .queue = {9}, .queued = 50});
  write({failed(retried, 700), failed(moved, 600)});
  const ShardSnapshot snapshot = acquire();
  ASSERT_EQ(snapshot.endpoints.size(), 1U);
  EXPECT_EQ(snapshot.endpoints[0].record.id, kEndpoint);
  EXPECT_EQ(snapshot.endpoints[0].record.tenant, kTenant);
  const std::vector<model::QueueHead>& queues = snapshot.endpoints[0].queues;
  ASSERT_EQ(queues.size(), 3U);
  EXPECT_EQ(queues[0].queue, model::kSharedQueue);
  EXPECT_EQ(queues[0].first_due, after(10));
  EXPECT_EQ(queues[0].retry_due, after(700));
  EXPECT_EQ(queues[1].queue.value, 8U);
  EXPECT_EQ(queues[1].first_due, after(40));
  EXPECT_EQ(queues[1].retry_due, std::nullopt);
  EXPECT_EQ(queues[2].queue.value, 9U);
  EXPECT_EQ(queues[2].first_due, std::nullopt);
  EXPECT_EQ(queues[2].retry_due, after(600));
}

TEST_P(Acquiring, AnEndpointWithQueuesKeepsItsRecord) {
  publish_one({.queued = 10});
  model::Section section = next_section();
  section.endpoints.push_back({});
  section.endpoints[0].id = kEndpoint;
  section.endpoints[0].tenant = kTenant;
  section.endpoints[0].failures = 5;
  write(section);
  const ShardSnapshot snapshot = acquire();
  ASSERT_EQ(snapshot.endpoints.size(), 1U);
  EXPECT_EQ(snapshot.endpoints[0].record.failures, 5U);
  EXPECT_EQ(snapshot.endpoints[0].queues.size(), 1U);
}

TEST_P(Acquiring, BlockedDeliveriesBeginNoQueue) {
  const Delivery first = publish_one({.object = 5, .recorded = false});
  publish_one({.object = 5, .queued = 20, .last_slot = 800});
  const ShardSnapshot snapshot = acquire();
  for (const model::EndpointSnapshot& endpoint : snapshot.endpoints) {
    EXPECT_TRUE(endpoint.queues.empty());
  }
  EXPECT_EQ(snapshot.next_expiry, after(800));
  EXPECT_EQ(snapshot.tail.size(), 2U);
  EXPECT_EQ(describe(snapshot.tail.at(0).delivery), describe(first));
}

TEST_P(Acquiring, TheNextExpiryIsTheFirstOfTheShard) {
  publish_one({.last_slot = 300});
  const Delivery first = publish_one({.last_slot = 200});
  publish_one({.endpoint = EndpointId::make(4, 1), .last_slot = 100});
  EXPECT_EQ(acquire().next_expiry, after(200));
  own(kShard);
  write({ended(first, model::EndState::kDropped)});
  EXPECT_EQ(acquire().next_expiry, after(300));
}

TEST_P(Acquiring, TheTailIsInTheOrderOfIds) {
  std::vector<base::DeliveryId> ids;
  for (int64_t i = 0; i < 10; ++i) {
    ids.push_back(publish_one({.queued = 100 - i, .recorded = i % 2 == 0}).id);
  }
  EXPECT_EQ(ids_of_tail(acquire()), ids);
}

TEST_P(Acquiring, TheTailHasOnlyTheShardsPartOfAFanOut) {
  const store::PublishResult result =
      publish(event_with(1, {{.endpoint = EndpointId::make(kShard, 1)},
                             {.endpoint = EndpointId::make(4, 1)},
                             {.endpoint = EndpointId::make(kShard, 2)}}));
  EXPECT_EQ(ids_of_tail(acquire()),
            (std::vector<base::DeliveryId>{result.deliveries[0].id, result.deliveries[2].id}));
}

TEST_P(Acquiring, TheTailHasOnlyWhatIsAtTheLowWaterMarkOrAbove) {
  std::vector<Delivery> deliveries;
  for (int i = 0; i < 4; ++i) {
    deliveries.push_back(publish_one({}));
  }
  const base::Sequence mark = deliveries[2].id.sequence();
  raise_low_water(mark);
  for (int round = 0; round < 2; ++round) {
    const ShardSnapshot snapshot = acquire();
    EXPECT_EQ(snapshot.low_water, mark);
    EXPECT_EQ(ids_of_tail(snapshot),
              (std::vector<base::DeliveryId>{deliveries[2].id, deliveries[3].id}));
    EXPECT_EQ(snapshot.endpoints.at(0).queues.at(0).first_due, deliveries[0].due);
    harness().crash_and_reopen();
  }
}

TEST_P(Acquiring, AnUnfinishedDeliveryInMemoryIsInTheTail) {
  const Delivery delivery = publish_one(kInMemory);
  const TailDelivery entry = only(acquire());
  EXPECT_TRUE(entry.unfinished);
  EXPECT_FALSE(entry.success.has_value());
  EXPECT_EQ(describe(entry.delivery), describe(delivery));
}

TEST_P(Acquiring, ADeliveryOfTheTailIsAsItWaits) {
  const Delivery delivery = publish_one(kInMemory);
  write({failed(delivery, 500)});
  TailDelivery entry = only(acquire());
  EXPECT_TRUE(entry.unfinished);
  EXPECT_FALSE(entry.success.has_value());
  EXPECT_EQ(describe(entry.delivery), describe(retry_of(delivery, 500)));
}

TEST_P(Acquiring, ASpilledDeliveryOfTheTailHasItsRecord) {
  const Delivery delivery = publish_one(kInMemory);
  write({spilled(delivery)});
  EXPECT_TRUE(only(acquire()).delivery.recorded);
}

TEST_P(Acquiring, ADeliveryOfTheTailMayHaveMovedToAnotherQueue) {
  const Delivery delivery = publish_one({.subscription = 8});
  Delivery moved = delivery;
  moved.queue = {8};
  write({placed(delivery, moved)});
  EXPECT_EQ(describe(only(acquire()).delivery), describe(moved));
}

TEST_P(Acquiring, ABlockedDeliveryOfTheTailIsBlockedUntilItIsPromoted) {
  const Delivery first = publish_one({.object = 5});
  const Delivery second = publish_one({.object = 5});
  EXPECT_TRUE(acquire().tail.at(1).delivery.blocked);
  own(kShard);
  write({delivered(first)});
  const ShardSnapshot snapshot = acquire();
  EXPECT_FALSE(snapshot.tail.at(0).unfinished);
  EXPECT_FALSE(snapshot.tail.at(1).delivery.blocked);
  EXPECT_EQ(snapshot.endpoints.at(0).queues.at(0).first_due, second.due);
}

TEST_P(Acquiring, ASuccessInTheTailComesWithItsAttempt) {
  const Delivery delivery = publish_one(kInMemory);
  model::DeliveryChange change = delivered(delivery);
  change.attempt->counting = model::Counting::kLate;
  change.attempt->is_probe = true;
  change.attempt->circuit_before = model::CircuitState::kDisabled;
  change.attempt->outcome.status = 204;
  write({change});
  for (int round = 0; round < 2; ++round) {
    const TailDelivery entry = only(acquire());
    EXPECT_FALSE(entry.unfinished);
    ASSERT_TRUE(entry.success.has_value());
    EXPECT_EQ(describe(*entry.success), describe(*change.attempt));
    harness().crash_and_reopen();
  }
}

TEST_P(Acquiring, OtherEndsOfTheTailAreNoSuccesses) {
  const Delivery first = publish_one({});
  const Delivery second = publish_one(kInMemory);
  model::DeliveryChange dropped = ended(first, model::EndState::kDropped);
  dropped.attempt = attempt_of(first, response(503));
  write({dropped, ended(second, model::EndState::kCancelled)});
  const ShardSnapshot snapshot = acquire();
  ASSERT_EQ(snapshot.tail.size(), 2U);
  for (const TailDelivery& entry : snapshot.tail) {
    EXPECT_FALSE(entry.unfinished);
    EXPECT_FALSE(entry.success.has_value());
  }
}

TEST_P(Acquiring, OperationalDeliveriesAreInTheTail) {
  model::Section section = next_section();
  section.publishes.push_back(event_with(99, {{.recorded = false}}));
  section.publishes[0].deliveries[0].operational = true;
  const store::SectionResult result = write(section);
  const TailDelivery entry = only(acquire());
  EXPECT_EQ(entry.delivery.id, result.published.at(0).id);
  EXPECT_TRUE(entry.delivery.operational);
}

// What a section says and what the next owner finds never contradict each other.
TEST_P(Acquiring, ASectionUnderWayIsInTheSnapshotOrFenced) {
  for (int round = 0; round < 50; ++round) {
    const Delivery delivery = publish_one({});
    const auto status = std::make_shared<std::optional<Status>>();
    store().commit(
        kStart,
        {.publishes = {}, .sections = {next_section({delivered(delivery)})}, .low_water = {}},
        [status](const store::BatchResult& result) { *status = result.sections.at(0).status; });
    const ShardSnapshot snapshot = acquire();
    ASSERT_TRUE(harness().run_until([&] { return status->has_value(); }));
    ASSERT_TRUE(*status == Status::kCommitted || *status == Status::kFenced);
    EXPECT_EQ(snapshot.tail.back().unfinished, *status == Status::kFenced);
    EXPECT_EQ(end_of(delivery.id).has_value(), *status == Status::kCommitted);
    own(kShard);
    if (*status == Status::kFenced) {
      write({delivered(delivery)});
    }
    raise_low_water(delivery.id.sequence() + 1);
  }
}

TEST_P(Acquiring, ASnapshotHasExactlyThePublishesReportedBeforeIt) {
  const auto reported = std::make_shared<std::set<base::DeliveryId>>();
  uint64_t event = 0;
  const auto submit = [&] {
    store().commit(
        kStart, {.publishes = {event_with(++event, {kInMemory})}, .sections = {}, .low_water = {}},
        [reported](const store::BatchResult& result) {
          reported->insert(result.publishes.at(0).deliveries.at(0).id);
        });
  };
  for (size_t round = 0; round < 30; ++round) {
    const auto is_acquired = std::make_shared<bool>(false);
    submit();
    submit();
    store().acquire({kShard}, [=](const std::vector<ShardSnapshot>& snapshots) {
      const std::vector<base::DeliveryId> tail = ids_of_tail(snapshots.at(0));
      EXPECT_EQ(std::set(tail.begin(), tail.end()), *reported);
      *is_acquired = true;
    });
    submit();
    ASSERT_TRUE(
        harness().run_until([&] { return *is_acquired && reported->size() == 3 * (round + 1); }));
  }
}

}  // namespace
}  // namespace conformance
