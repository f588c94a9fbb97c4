// Publishes: sequences, ids, unique keys, contents.

#include <gtest/gtest.h>

#include <string>

#include "tests/conformance/describe.h"
#include "tests/conformance/store_suite.h"

namespace conformance {
namespace {

using base::DeliveryId;
using store::PublishResult;
using store::Status;

class Publishing : public StoreSuite {
 protected:
  static model::Publish keyed(uint64_t event, std::string key, uint64_t digest = 0) {
    model::Publish publish = event_with(event, {{}});
    publish.unique_key = std::move(key);
    publish.digest = digest;
    return publish;
  }

  static model::Publish with_content(uint64_t event, const model::Event& content) {
    model::Publish publish = event_with(event, {{}, {.subscription = 2}});
    publish.content = std::make_shared<model::Event>(content);
    return publish;
  }

  // Submits all before any is answered.
  std::vector<PublishResult> publish_at_once(const std::vector<model::Publish>& events) {
    const auto answers = std::make_shared<std::vector<PublishResult>>();
    for (const model::Publish& event : events) {
      store().commit(harness().scheduler().now(),
                     {.publishes = {event}, .sections = {}, .low_water = {}},
                     [answers](const store::BatchResult& result) {
                       answers->push_back(result.publishes.at(0));
                     });
    }
    EXPECT_TRUE(harness().run_until([&] { return answers->size() == events.size(); }));
    return *answers;
  }
};

HOLD_EVERY_STORE_TO(Publishing);

TEST_P(Publishing, NamesTheEventAndItsDeliveries) {
  const PublishResult result =
      publish(event_with(7, {{.subscription = 1}, {.subscription = 2}, {.subscription = 3}}));
  EXPECT_EQ(result.status, Status::kCommitted);
  EXPECT_FALSE(result.is_repeat);
  EXPECT_GT(result.sequence, 0U);
  ASSERT_EQ(result.deliveries.size(), 3U);
  for (uint32_t index = 0; index < 3; ++index) {
    EXPECT_EQ(result.deliveries[index].id, DeliveryId::make(result.sequence, index));
    EXPECT_EQ(result.deliveries[index].subscription.value, index + 1);
  }
}

TEST_P(Publishing, ReportsDeliveriesAsTheyWereAskedFor) {
  New what{.endpoint = base::EndpointId::make(200, 77),
           .subscription = 12,
           .queue = {12},
           .object = 99,
           .queued = 5,
           .last_slot = 987'654,
           .recorded = true};
  model::Publish event = event_with(7, {what});
  event.deliveries[0].operational = true;
  event.deliveries[0].range = model::DueRange::kRetry;
  event.deliveries[0].tenant = event.tenant = {8};
  const PublishResult result = publish(event);
  ASSERT_EQ(result.deliveries.size(), 1U);
  model::Delivery expected = event.deliveries[0];
  expected.id = DeliveryId::make(result.sequence, 0);
  EXPECT_EQ(describe(result.deliveries[0]), describe(expected));
  EXPECT_EQ(describe(waiting(expected.id)), describe(expected));
}

TEST_P(Publishing, SequencesGrowInTheOrderOfCommits) {
  const PublishResult first = publish(event_with(7, {{}}));
  const PublishResult second = publish(event_with(5, {{}}));
  EXPECT_GT(second.sequence, first.sequence);
  EXPECT_GT(second.deliveries.at(0).id, first.deliveries.at(0).id);
}

TEST_P(Publishing, SequencesGrowWithinABatch) {
  const store::BatchResult result =
      commit({.publishes = {event_with(3, {{}}), event_with(2, {{}}), event_with(1, {{}})},
              .sections = {},
              .low_water = {}});
  ASSERT_EQ(result.publishes.size(), 3U);
  EXPECT_LT(result.publishes[0].sequence, result.publishes[1].sequence);
  EXPECT_LT(result.publishes[1].sequence, result.publishes[2].sequence);
}

TEST_P(Publishing, ReportsInTheOrderOfSubmission) {
  std::vector<model::Publish> events;
  for (uint64_t event = 1; event <= 300; ++event) {
    events.push_back(event_with(event, {{}}));
  }
  const std::vector<PublishResult> results = publish_at_once(events);
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].status, Status::kCommitted);
    EXPECT_EQ(results[i].deliveries.at(0).event.value, i + 1);
    EXPECT_TRUE(i == 0 || results[i].sequence > results[i - 1].sequence);
  }
}

TEST_P(Publishing, SequencesGoOnAfterARestartWhateverTheClockDoes) {
  const base::Sequence before = publish(event_with(1, {{}})).sequence;
  restart();
  const auto result = answer_to<store::BatchResult>([&](auto done) {
    store().commit(kStart - base::Duration::hours(5),
                   {.publishes = {event_with(2, {{}})}, .sections = {}, .low_water = {}},
                   std::move(done));
  });
  EXPECT_GT(result.publishes.at(0).sequence, before);
}

TEST_P(Publishing, AnEventWithoutDeliveriesHasASequenceToo) {
  const PublishResult nobody = publish(event_with(1, {}));
  EXPECT_EQ(nobody.status, Status::kCommitted);
  EXPECT_TRUE(nobody.deliveries.empty());
  EXPECT_GT(nobody.sequence, 0U);
  EXPECT_GT(publish(event_with(2, {{}})).sequence, nobody.sequence);
}

TEST_P(Publishing, AWideFanOutIsStoredWhole) {
  std::vector<New> wanted;
  for (uint64_t subscription = 1; subscription <= 2'000; ++subscription) {
    wanted.push_back(
        {.endpoint = base::EndpointId::make(
             static_cast<base::ShardId>(subscription % base::kShardCount), subscription),
         .subscription = subscription,
         .recorded = subscription % 2 == 0});
  }
  const PublishResult result = publish(event_with(1, wanted));
  ASSERT_EQ(result.deliveries.size(), wanted.size());
  EXPECT_EQ(waiting(result.deliveries.back().id).subscription.value, 2'000U);
  EXPECT_EQ(waiting(result.deliveries.front().id).endpoint, wanted.front().endpoint);
  EXPECT_FALSE(find({result.deliveries.back().id.value + 1}).has_value());
}

TEST_P(Publishing, TheSameUniqueKeyIsStoredOnceAndReportsTheFirst) {
  const PublishResult first = publish(keyed(1, "order-17", 111));
  const PublishResult again = publish(keyed(2, "order-17", 222));
  EXPECT_FALSE(first.is_repeat);
  EXPECT_EQ(first.digest, 111U);
  EXPECT_TRUE(again.is_repeat);
  EXPECT_EQ(again.status, Status::kCommitted);
  EXPECT_EQ(again.sequence, first.sequence);
  EXPECT_EQ(again.digest, 111U);
  EXPECT_EQ(ids_of(again.deliveries), ids_of(first.deliveries));
  EXPECT_EQ(due(9).deliveries.size(), 1U);
}

TEST_P(Publishing, ARepeatIsRecognisedWithinOneBatch) {
  const store::BatchResult result =
      commit({.publishes = {keyed(1, "k", 5), keyed(2, "k", 6)}, .sections = {}, .low_water = {}});
  ASSERT_EQ(result.publishes.size(), 2U);
  EXPECT_FALSE(result.publishes[0].is_repeat);
  EXPECT_TRUE(result.publishes[1].is_repeat);
  EXPECT_EQ(result.publishes[1].sequence, result.publishes[0].sequence);
  EXPECT_EQ(result.publishes[1].digest, 5U);
  EXPECT_EQ(ids_of(result.publishes[1].deliveries), ids_of(result.publishes[0].deliveries));
}

TEST_P(Publishing, ARepeatIsRecognisedWhileTheFirstIsUnderWay) {
  const std::vector<PublishResult> results =
      publish_at_once({keyed(1, "k"), keyed(2, "k"), keyed(3, "other"), keyed(4, "k")});
  EXPECT_FALSE(results[0].is_repeat);
  EXPECT_TRUE(results[1].is_repeat);
  EXPECT_FALSE(results[2].is_repeat);
  EXPECT_TRUE(results[3].is_repeat);
  EXPECT_EQ(results[3].sequence, results[0].sequence);
}

TEST_P(Publishing, AUniqueKeyOutlivesARestart) {
  const PublishResult first = publish(keyed(1, "order-17", 111));
  restart();
  const PublishResult again = publish(keyed(2, "order-17", 222));
  EXPECT_TRUE(again.is_repeat);
  EXPECT_EQ(again.sequence, first.sequence);
  EXPECT_EQ(again.digest, 111U);
  EXPECT_EQ(ids_of(again.deliveries), ids_of(first.deliveries));
}

TEST_P(Publishing, AUniqueKeyOutlivesTheEndOfTheDeliveries) {
  const PublishResult first = publish(keyed(1, "order-17"));
  write({delivered(first.deliveries.at(0))});
  const PublishResult again = publish(keyed(2, "order-17"));
  EXPECT_TRUE(again.is_repeat);
  EXPECT_EQ(ids_of(again.deliveries), ids_of(first.deliveries));
  EXPECT_EQ(end_of(first.deliveries.at(0).id), model::EndState::kDelivered);
}

TEST_P(Publishing, AnEventWithoutDeliveriesIsRepeatedAsWell) {
  model::Publish nobody = keyed(1, "lonely");
  nobody.deliveries.clear();
  const PublishResult first = publish(nobody);
  const PublishResult again = publish(keyed(2, "lonely"));
  EXPECT_TRUE(again.is_repeat);
  EXPECT_EQ(again.sequence, first.sequence);
  EXPECT_TRUE(again.deliveries.empty());
}

TEST_P(Publishing, UniqueKeysOfTenantsAreApart) {
  publish(keyed(1, "order-17"));
  model::Publish other = keyed(2, "order-17");
  other.tenant = {2};
  EXPECT_FALSE(publish(other).is_repeat);
  EXPECT_TRUE(publish(other).is_repeat);
}

TEST_P(Publishing, UniqueKeysAreComparedWhole) {
  const std::string zeros("a\0", 2);
  const std::string more_zeros("a\0\0", 3);
  const std::string longest(4'096, 'x');
  const std::vector<std::string> keys = {"a",   "ab",       "A",     "\xff",       "\xff\xff",
                                         zeros, more_zeros, longest, longest + "y"};
  uint64_t event = 0;
  for (const std::string& key : keys) {
    EXPECT_FALSE(publish(keyed(++event, key)).is_repeat);
  }
  for (const std::string& key : keys) {
    EXPECT_TRUE(publish(keyed(++event, key)).is_repeat);
  }
}

TEST_P(Publishing, EventsWithoutAUniqueKeyAreNeverRepeats) {
  EXPECT_FALSE(publish(keyed(1, "", 5)).is_repeat);
  EXPECT_FALSE(publish(keyed(2, "", 5)).is_repeat);
}

TEST_P(Publishing, TheContentCanBeLoadedBySequence) {
  const model::Event content{.tenant = kTenant,
                             .id = "evt-1",
                             .type = "order.created",
                             .object_code = "ORDER",
                             .object_id = "o-17",
                             .payload = R"({"n":1})",
                             .unmatched_reason = "",
                             .redelivery_of = DeliveryId::make(3, 4),
                             .traceparent = "00-0123-4567-01"};
  const base::Sequence sequence = publish(with_content(1, content)).sequence;
  EXPECT_EQ(describe(this->content(sequence)), describe(content));
  restart();
  EXPECT_EQ(describe(this->content(sequence)), describe(content));
}

TEST_P(Publishing, TheContentIsAnyBytes) {
  std::string bytes;
  for (uint32_t i = 0; i < 1U << 20U; ++i) {
    bytes.push_back(static_cast<char>(base::mix(i)));
  }
  const model::Event content{.tenant = kTenant,
                             .id = std::string("\0\xff", 2),
                             .type = "t",
                             .object_code = {},
                             .object_id = {},
                             .payload = bytes,
                             .unmatched_reason = "nobody wants it",
                             .redelivery_of = {}};
  const auto loaded = this->content(publish(with_content(1, content)).sequence);
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(loaded->payload, bytes);
  EXPECT_EQ(loaded->id, content.id);
  EXPECT_EQ(loaded->unmatched_reason, content.unmatched_reason);
}

TEST_P(Publishing, TheContentStaysWhenTheDeliveriesHaveEnded) {
  const PublishResult result =
      publish(with_content(1, {.tenant = kTenant, .id = "e", .payload = "bytes"}));
  write({delivered(result.deliveries.at(0)),
         ended(result.deliveries.at(1), model::EndState::kCancelled)});
  ASSERT_TRUE(content(result.sequence).has_value());
  EXPECT_EQ(content(result.sequence)->payload, "bytes");
}

TEST_P(Publishing, ARepeatLeavesTheContentOfTheFirst) {
  model::Publish first = with_content(1, {.tenant = kTenant, .id = "e", .payload = "first"});
  model::Publish second = with_content(2, {.tenant = kTenant, .id = "e", .payload = "second"});
  first.unique_key = second.unique_key = "k";
  publish(first);
  EXPECT_EQ(content(publish(second).sequence)->payload, "first");
}

TEST_P(Publishing, AnUnknownSequenceHasNoContent) {
  const base::Sequence last = publish(event_with(1, {{}})).sequence;
  EXPECT_FALSE(content(last + 1).has_value());
  EXPECT_FALSE(content(0).has_value());
}

TEST_P(Publishing, TheNewestTimeOfACommitIsRemembered) {
  const auto commit_at = [this](base::Instant at) {
    answer_to<store::BatchResult>([&](auto done) {
      store().commit(
          at, {.publishes = {event_with(new_event().value, {{}})}, .sections = {}, .low_water = {}},
          std::move(done));
    });
  };
  commit_at(after(180'000));
  EXPECT_EQ(store().last_committed(), after(180'000));
  commit_at(after(170'000));
  EXPECT_EQ(store().last_committed(), after(180'000));
  restart();
  EXPECT_EQ(store().last_committed(), after(180'000));
}

}  // namespace
}  // namespace conformance
