// Sections: atomic, in order, once, and only from the owner of the shard.

#include <gtest/gtest.h>

#include "tests/conformance/describe.h"
#include "tests/conformance/store_suite.h"

namespace conformance {
namespace {

using model::Delivery;
using model::EndState;
using store::Status;

class Sections : public StoreSuite {
 protected:
  static model::EndpointRecord record_of(base::EndpointId id, uint64_t successes) {
    model::EndpointRecord record;
    record.id = id;
    record.tenant = kTenant;
    record.successes = successes;
    return record;
  }

  model::Section section_of(base::ShardId shard, uint64_t epoch, uint64_t number) {
    return {.shard = shard, .epoch = epoch, .number = number};
  }

  static store::Batch batch_of(std::vector<model::Section> sections) {
    return {.publishes = {}, .sections = std::move(sections), .low_water = {}};
  }
};

HOLD_EVERY_STORE_TO(Sections);

TEST_P(Sections, AnAnswerNamesItsSection) {
  const store::SectionResult result = write(next_section());
  EXPECT_EQ(result.shard, kShard);
  EXPECT_EQ(result.epoch, epoch());
  EXPECT_EQ(result.number, 1U);
  EXPECT_EQ(result.status, Status::kCommitted);
}

TEST_P(Sections, AllOfASectionTakesEffect) {
  const Delivery first = publish_one({});
  const Delivery second = publish_one({.queued = 1});
  const Delivery third = publish_one(kInMemory);
  model::Section section = next_section({delivered(first), failed(second, 500), delivered(third)});
  section.endpoints.push_back(record_of(kEndpoint, 2));
  section.publishes.push_back(event_with(99, {{.queued = 3}}));
  const store::SectionResult result = write(section);
  EXPECT_EQ(result.status, Status::kCommitted);
  ASSERT_EQ(result.published.size(), 1U);
  EXPECT_EQ(end_of(first.id), EndState::kDelivered);
  EXPECT_EQ(waiting(second.id).due, after(500));
  EXPECT_EQ(end_of(third.id), EndState::kDelivered);
  EXPECT_EQ(waiting(result.published[0].id).event.value, 99U);
  EXPECT_EQ(acquire().endpoints.at(0).record.successes, 2U);
}

TEST_P(Sections, NothingOfAFencedSectionTakesEffect) {
  const Delivery delivery = publish_one({});
  model::Section section = next_section({delivered(delivery)});
  section.endpoints.push_back(record_of(kEndpoint, 2));
  section.publishes.push_back(event_with(99, {{}}));
  own(kShard);
  const store::SectionResult result = write(section);
  EXPECT_EQ(result.status, Status::kFenced);
  EXPECT_TRUE(result.published.empty());
  EXPECT_EQ(describe(waiting(delivery.id)), describe(delivery));
  EXPECT_EQ(due(9).deliveries.size(), 1U);
  EXPECT_EQ(acquire().endpoints.at(0).record.successes, 0U);
}

TEST_P(Sections, ASectionOfNoKnownEpochIsFenced) {
  for (const uint64_t strange : {uint64_t{0}, epoch() - 1, epoch() + 1}) {
    model::Section section = next_section();
    section.epoch = strange;
    section.number = 1;
    EXPECT_EQ(write(section).status, Status::kFenced);
  }
}

TEST_P(Sections, AFencedSectionFencesNobodyElse) {
  const uint64_t other = acquire(4).epoch;
  const store::BatchResult result = commit(
      batch_of({section_of(kShard, epoch() - 1, 1), section_of(4, other, 1), next_section()}));
  ASSERT_EQ(result.sections.size(), 3U);
  EXPECT_EQ(result.sections[0].status, Status::kFenced);
  EXPECT_EQ(result.sections[1].status, Status::kCommitted);
  EXPECT_EQ(result.sections[2].status, Status::kCommitted);
}

TEST_P(Sections, ASectionTakesEffectOnce) {
  const Delivery delivery = publish_one({});
  model::Section section = next_section({failed(delivery, 500)});
  section.publishes.push_back(event_with(99, {{.subscription = 9}}));
  EXPECT_EQ(write(section).status, Status::kCommitted);
  write({delivered(waiting(delivery.id))});
  EXPECT_EQ(write(section).status, Status::kCommitted);
  EXPECT_EQ(end_of(delivery.id), EndState::kDelivered);
  EXPECT_TRUE(due(9, model::DueRange::kRetry).deliveries.empty());
  EXPECT_EQ(due(9).deliveries.size(), 1U);
}

TEST_P(Sections, ASectionTakesEffectOnceWithinABatch) {
  const Delivery delivery = publish_one({});
  const model::Section section = next_section({failed(delivery, 500)});
  const store::BatchResult result = commit(batch_of({section, section}));
  EXPECT_EQ(result.sections.at(0).status, Status::kCommitted);
  EXPECT_EQ(result.sections.at(1).status, Status::kCommitted);
  EXPECT_EQ(due(9, model::DueRange::kRetry).deliveries.size(), 1U);
}

TEST_P(Sections, ASectionThatSkipsANumberIsRefusedWhole) {
  const Delivery delivery = publish_one({});
  const model::Section first = next_section();
  const model::Section second = next_section({delivered(delivery)});
  EXPECT_EQ(write(second).status, Status::kFailed);
  EXPECT_EQ(describe(waiting(delivery.id)), describe(delivery));
  EXPECT_EQ(write(first).status, Status::kCommitted);
  EXPECT_EQ(write(second).status, Status::kCommitted);
  EXPECT_EQ(end_of(delivery.id), EndState::kDelivered);
}

TEST_P(Sections, AfterAFailureTheLineStopsUntilThatSectionCame) {
  const model::Section first = next_section();
  const model::Section second = next_section();
  const model::Section third = next_section();
  const store::BatchResult stopped = commit(batch_of({second, third}));
  EXPECT_EQ(stopped.sections.at(0).status, Status::kFailed);
  EXPECT_EQ(stopped.sections.at(1).status, Status::kFailed);
  EXPECT_EQ(write(third).status, Status::kFailed);
  const store::BatchResult resumed = commit(batch_of({first, second, third}));
  EXPECT_EQ(resumed.sections.at(0).status, Status::kCommitted);
  EXPECT_EQ(resumed.sections.at(1).status, Status::kCommitted);
  EXPECT_EQ(resumed.sections.at(2).status, Status::kCommitted);
}

TEST_P(Sections, OneShardsStoppedLineStopsNoOther) {
  const uint64_t other = acquire(4).epoch;
  next_section();
  EXPECT_EQ(write(next_section()).status, Status::kFailed);
  EXPECT_EQ(write(section_of(4, other, 1)).status, Status::kCommitted);
  EXPECT_EQ(publish(event_with(1, {{}})).status, Status::kCommitted);
}

TEST_P(Sections, SectionsUnderWayTogetherTakeEffectInOrder) {
  Delivery delivery = publish_one({});
  std::vector<model::Section> sections;
  for (int64_t round = 1; round <= 100; ++round) {
    sections.push_back(next_section({failed(delivery, round * 10)}));
    delivery = retry_of(delivery, round * 10);
  }
  const auto numbers = std::make_shared<std::vector<uint64_t>>();
  for (const model::Section& section : sections) {
    store().commit(kStart, batch_of({section}), [numbers](const store::BatchResult& result) {
      EXPECT_EQ(result.sections.at(0).status, Status::kCommitted);
      numbers->push_back(result.sections.at(0).number);
    });
  }
  ASSERT_TRUE(harness().run_until([&] { return numbers->size() == sections.size(); }));
  EXPECT_TRUE(std::is_sorted(numbers->begin(), numbers->end()));
  EXPECT_EQ(describe(waiting(delivery.id)), describe(delivery));
  const model::DuePage page = due(9, model::DueRange::kRetry);
  ASSERT_EQ(page.deliveries.size(), 1U);
  EXPECT_EQ(page.deliveries[0].attempts, 100U);
}

TEST_P(Sections, PublishesOfASectionAreStoredWithIt) {
  model::Section section = next_section();
  model::Publish event = event_with(99, {{.subscription = 5}, {.subscription = 6}});
  event.content = std::make_shared<model::Event>(
      model::Event{.tenant = kTenant, .id = "op-1", .payload = "disabled"});
  for (Delivery& delivery : event.deliveries) {
    delivery.operational = true;
  }
  section.publishes = {event, event_with(98, {{.subscription = 7, .recorded = false}})};
  const store::SectionResult result = write(section);
  ASSERT_EQ(result.published.size(), 3U);
  EXPECT_EQ(result.published[0].subscription.value, 5U);
  EXPECT_EQ(result.published[1].subscription.value, 6U);
  EXPECT_EQ(result.published[2].subscription.value, 7U);
  EXPECT_TRUE(result.published[0].operational);
  EXPECT_LT(result.published[1].id, result.published[2].id);
  EXPECT_EQ(content(result.published[0].id.sequence())->payload, "disabled");
  EXPECT_EQ(due(9).deliveries.size(), 2U);
  EXPECT_FALSE(waiting(result.published[2].id).recorded);
}

TEST_P(Sections, APublishOfASectionMayBeBlockedByAnOrderedDelivery) {
  publish_one({.object = 5});
  model::Section section = next_section();
  section.publishes.push_back(event_with(99, {{.object = 5, .recorded = false}}));
  const store::SectionResult result = write(section);
  ASSERT_EQ(result.published.size(), 1U);
  EXPECT_TRUE(result.published[0].blocked);
  EXPECT_TRUE(result.published[0].recorded);
}

TEST_P(Sections, ABatchOfEverythingIsAnsweredPieceByPiece) {
  const Delivery delivery = publish_one({});
  ASSERT_EQ(change_documents({document("a", "1")}), Status::kCommitted);
  const model::Section section = next_section({delivered(delivery)});
  next_section();
  const store::BatchResult result = commit({.publishes = {event_with(1, {{}})},
                                            .sections = {section, next_section()},
                                            .documents = {document("a", "2", 0)},
                                            .low_water = {}});
  EXPECT_EQ(result.publishes.at(0).status, Status::kCommitted);
  EXPECT_EQ(result.sections.at(0).status, Status::kCommitted);
  EXPECT_EQ(result.sections.at(1).status, Status::kFailed);  // skips a number
  EXPECT_EQ(result.documents, Status::kConflict);
  EXPECT_EQ(end_of(delivery.id), EndState::kDelivered);
}

TEST_P(Sections, SectionsSurviveARestart) {
  const Delivery first = publish_one({});
  const Delivery second = publish_one({});
  model::Section section = next_section({delivered(first), failed(second, 500)});
  section.endpoints.push_back(record_of(kEndpoint, 17));
  ASSERT_EQ(write(section).status, Status::kCommitted);
  harness().crash_and_reopen();
  EXPECT_EQ(end_of(first.id), EndState::kDelivered);
  EXPECT_EQ(describe(waiting(second.id)), describe(retry_of(second, 500)));
  EXPECT_EQ(acquire().endpoints.at(0).record.successes, 17U);
}

// Whoever comes back with it late learns of it, or that he no longer owns the shard.
TEST_P(Sections, ASectionTakesEffectOnceAcrossARestart) {
  const Delivery delivery = publish_one({});
  const model::Section section = next_section({failed(delivery, 500)});
  ASSERT_EQ(write(section).status, Status::kCommitted);
  ASSERT_EQ(write({delivered(waiting(delivery.id))}).status, Status::kCommitted);
  harness().crash_and_reopen();
  const Status again = write(section).status;
  EXPECT_TRUE(again == Status::kCommitted || again == Status::kFenced);
  EXPECT_EQ(end_of(delivery.id), EndState::kDelivered);
  EXPECT_TRUE(due(9, model::DueRange::kRetry).deliveries.empty());
}

}  // namespace
}  // namespace conformance
