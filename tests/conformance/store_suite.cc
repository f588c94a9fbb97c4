#include "tests/conformance/store_suite.h"

#include "tests/conformance/rocks_harness.h"
#include "tests/conformance/sim_harness.h"

namespace conformance {

const std::vector<Candidate>& candidates() {
  static const std::vector<Candidate> kAll = {
      {.name = "SimStore", .make = [] { return std::make_unique<SimHarness>(); }},
      {.name = "RocksStore", .make = [] { return std::make_unique<RocksHarness>(); }},
  };
  return kAll;
}

std::string name_of(const ::testing::TestParamInfo<Candidate>& candidate) {
  return candidate.param.name;
}

store::BatchResult StoreSuite::commit(const store::Batch& batch) {
  return answer_to<store::BatchResult>(
      [&](auto done) { store().commit(harness_->scheduler().now(), batch, std::move(done)); });
}

store::PublishResult StoreSuite::publish(const model::Publish& event) {
  const store::BatchResult result = commit({.publishes = {event}, .sections = {}, .low_water = {}});
  return result.publishes.size() == 1 ? result.publishes.front() : store::PublishResult();
}

model::Delivery StoreSuite::publish_one(const New& what) {
  const store::PublishResult result = publish(event_with(new_event().value, {what}));
  EXPECT_EQ(result.status, store::Status::kCommitted);
  return result.deliveries.size() == 1 ? result.deliveries.front() : model::Delivery();
}

model::Section StoreSuite::next_section(std::vector<model::DeliveryChange> changes) {
  model::Section section{.shard = kShard, .epoch = epoch_, .number = ++last_number_};
  section.deliveries = std::move(changes);
  return section;
}

store::SectionResult StoreSuite::write(const model::Section& section) {
  const store::BatchResult result =
      commit({.publishes = {}, .sections = {section}, .low_water = {}});
  return result.sections.size() == 1 ? result.sections.front() : store::SectionResult();
}

model::DuePage StoreSuite::due(uint32_t limit, model::DueRange range) {
  return due({.endpoint = kEndpoint,
              .queue = model::kSharedQueue,
              .range = range,
              .from = {},
              .limit = limit});
}

model::DuePage StoreSuite::due(const model::DueQuery& query) {
  return answer_to<model::DuePage>([&](auto done) { store().load_due(query, std::move(done)); });
}

model::ExpiryPage StoreSuite::expired(uint32_t limit, int64_t until, model::ExpiryKey from) {
  return answer_to<model::ExpiryPage>([&](auto done) {
    store().load_expired({.shard = kShard, .from = from, .until = after(until), .limit = limit},
                         std::move(done));
  });
}

std::optional<store::FoundDelivery> StoreSuite::find(base::DeliveryId delivery) {
  return answer_to<std::optional<store::FoundDelivery>>(
      [&](auto done) { store().load_delivery(delivery, std::move(done)); });
}

model::Delivery StoreSuite::waiting(base::DeliveryId delivery) {
  const auto found = find(delivery);
  EXPECT_TRUE(found.has_value());
  if (!found) {
    return {};
  }
  EXPECT_EQ(found->end, std::nullopt);
  return found->delivery;
}

std::optional<model::EndState> StoreSuite::end_of(base::DeliveryId delivery) {
  const auto found = find(delivery);
  EXPECT_TRUE(found.has_value());
  return found ? found->end : std::nullopt;
}

std::optional<model::Event> StoreSuite::content(base::Sequence sequence) {
  return answer_to<std::optional<model::Event>>(
      [&](auto done) { store().load_event(sequence, std::move(done)); });
}

model::DocumentPage StoreSuite::documents(const model::DocumentQuery& query) {
  return answer_to<model::DocumentPage>(
      [&](auto done) { store().load_documents(query, std::move(done)); });
}

store::Status StoreSuite::change_documents(std::vector<model::DocumentChange> changes) {
  store::Batch batch;
  batch.documents = std::move(changes);
  return commit(batch).documents;
}

std::vector<model::ShardSnapshot> StoreSuite::acquire_all(
    const std::vector<base::ShardId>& shards) {
  return answer_to<std::vector<model::ShardSnapshot>>(
      [&](auto done) { store().acquire(shards, std::move(done)); });
}

model::ShardSnapshot StoreSuite::acquire(base::ShardId shard) {
  const std::vector<model::ShardSnapshot> snapshots = acquire_all({shard});
  EXPECT_EQ(snapshots.size(), 1U);
  return snapshots.empty() ? model::ShardSnapshot() : snapshots.front();
}

void StoreSuite::own(base::ShardId shard) {
  epoch_ = acquire(shard).epoch;
  last_number_ = 0;
}

void StoreSuite::restart() {
  harness_->crash_and_reopen();
  own(kShard);
}

}  // namespace conformance
