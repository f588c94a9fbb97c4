// Crashes while work is under way: what was reported is there, what was not is there whole or not
// at all, and nothing is there without what came before it.

#include <gtest/gtest.h>

#include "tests/conformance/describe.h"
#include "tests/conformance/store_suite.h"

namespace conformance {
namespace {

using base::DeliveryId;
using model::Delivery;
using store::Status;

class Crashes : public StoreSuite {
 protected:
  static constexpr uint64_t kEvents = 60;

  // Two deliveries and a unique key for each event.
  static model::Publish event_of(uint64_t number) {
    model::Publish event = event_with(number, {{}, {.subscription = 2, .recorded = false}});
    event.unique_key = "event-" + std::to_string(number);
    event.digest = number;
    event.content = std::make_shared<model::Event>(
        model::Event{.tenant = kTenant, .id = event.unique_key, .payload = event.unique_key});
    return event;
  }
};

HOLD_EVERY_STORE_TO(Crashes);

TEST_P(Crashes, EverythingReportedIsThereAndTheRestInOrder) {
  for (const uint64_t answers_wanted : {0U, 1U, 7U, 30U}) {
    const auto reported = std::make_shared<std::vector<DeliveryId>>();
    const base::Sequence before = publish_one({}).id.sequence();
    for (uint64_t event = 1; event <= kEvents; ++event) {
      model::Publish publish = event_of(answers_wanted * 1'000 + event);
      store().commit(kStart, {.publishes = {publish}, .sections = {}, .low_water = {}},
                     [reported](const store::BatchResult& result) {
                       reported->push_back(result.publishes.at(0).deliveries.at(1).id);
                     });
    }
    ASSERT_TRUE(harness().run_until([&] { return reported->size() >= answers_wanted; }));
    restart();
    for (const DeliveryId id : *reported) {
      EXPECT_TRUE(find(id).has_value());
      EXPECT_TRUE(content(id.sequence()).has_value());
    }
    bool is_over = false;
    for (base::Sequence sequence = before + 1; sequence <= before + kEvents; ++sequence) {
      const bool is_there = find(DeliveryId::make(sequence, 0)).has_value();
      EXPECT_EQ(find(DeliveryId::make(sequence, 1)).has_value(), is_there);
      EXPECT_EQ(content(sequence).has_value(), is_there);
      EXPECT_FALSE(is_over && is_there);
      is_over = !is_there;
    }
  }
}

TEST_P(Crashes, APublishWithoutAnAnswerMayBeSubmittedAgain) {
  for (uint64_t event = 1; event <= kEvents; ++event) {
    store().commit(kStart, {.publishes = {event_of(event)}, .sections = {}, .low_water = {}},
                   [](const store::BatchResult&) {});
  }
  publish_one({});
  restart();
  std::set<base::Sequence> sequences;
  for (uint64_t event = 1; event <= kEvents; ++event) {
    const store::PublishResult result = publish(event_of(event));
    EXPECT_EQ(result.status, Status::kCommitted);
    EXPECT_EQ(result.digest, event);
    EXPECT_EQ(content(result.sequence)->payload, "event-" + std::to_string(event));
    sequences.insert(result.sequence);
  }
  EXPECT_EQ(sequences.size(), kEvents);
}

TEST_P(Crashes, ASectionWithoutAnAnswerIsThereWholeOrNotAtAll) {
  for (int round = 0; round < 10; ++round) {
    const Delivery first = publish_one({.queued = round});
    const Delivery second = publish_one({.queued = round});
    model::Section section = next_section({delivered(first), failed(second, 500)});
    section.publishes.push_back(event_with(new_event().value, {kInMemory}));
    store().commit(kStart,
                   {.publishes = {},
                    .sections = {section},
                    .documents = {document("round", std::to_string(round))},
                    .low_water = {}},
                   [](const store::BatchResult&) {});
    if (round % 2 == 0) {
      const auto is_asked = std::make_shared<bool>(false);
      harness().scheduler().post([is_asked] { *is_asked = true; });
      ASSERT_TRUE(harness().run_until([&] { return *is_asked; }));
    }
    restart();
    const bool is_there = end_of(first.id).has_value();
    EXPECT_EQ(waiting(second.id).attempts, is_there ? 1U : 0U);
    EXPECT_EQ(find(DeliveryId::make(second.id.sequence() + 1, 0)).has_value(), is_there);
    write({is_there ? delivered(retry_of(second, 500)) : delivered(second)});
  }
}

TEST_P(Crashes, ManyInARowLoseNothing) {
  std::vector<Delivery> unfinished;
  for (int round = 0; round < 8; ++round) {
    for (int64_t i = 0; i < 5; ++i) {
      unfinished.push_back(publish_one({.queued = round * 10 + i}));
    }
    write({delivered(unfinished.front())});
    unfinished.erase(unfinished.begin());
    restart();
    ASSERT_EQ(describe(due(1'000).deliveries), describe(unfinished));
  }
}

TEST_P(Crashes, AnAcquisitionUnderWayLeavesTheShardUsable) {
  for (int round = 0; round < 5; ++round) {
    const uint64_t before = epoch();
    store().acquire({kShard}, [](const std::vector<model::ShardSnapshot>&) {});
    restart();
    EXPECT_GT(epoch(), before);
    EXPECT_EQ(write(next_section()).status, Status::kCommitted);
  }
}

}  // namespace
}  // namespace conformance
