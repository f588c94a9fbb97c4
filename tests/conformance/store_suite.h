// The fixture of the conformance suite: each test gets a fresh store and talks to it as a core and
// an intake would, one call at a time unless it says otherwise.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/conformance/harness.h"
#include "tests/conformance/samples.h"

namespace conformance {

// Every implementation that the suite holds to the contract.
const std::vector<Candidate>& candidates();
std::string name_of(const ::testing::TestParamInfo<Candidate>& candidate);

class StoreSuite : public ::testing::TestWithParam<Candidate> {
 protected:
  StoreSuite() : harness_(GetParam().make()) { own(kShard); }

  Harness& harness() { return *harness_; }
  store::Store& store() { return harness_->store(); }

  // Makes a call and runs until it is answered.
  template <class Answer, class Call>
  Answer answer_to(const Call& call) {
    // Shared, because an answer may come after the test gave up on it.
    const auto answer = std::make_shared<std::optional<Answer>>();
    call([answer](Answer result) { *answer = std::move(result); });
    EXPECT_TRUE(harness_->run_until([&] { return answer->has_value(); })) << "no answer";
    return *answer ? **std::move(answer) : Answer();
  }

  store::BatchResult commit(const store::Batch& batch);
  store::PublishResult publish(const model::Publish& event);
  // One delivery of an event of its own, as it is stored.
  model::Delivery publish_one(const New& what);

  // The next section of kShard, as its owner writes it.
  model::Section next_section(std::vector<model::DeliveryChange> changes = {});
  store::SectionResult write(const model::Section& section);
  store::SectionResult write(std::vector<model::DeliveryChange> changes) {
    return write(next_section(std::move(changes)));
  }

  model::DuePage due(uint32_t limit, model::DueRange range = model::DueRange::kFirst);
  model::DuePage due(const model::DueQuery& query);
  model::ExpiryPage expired(uint32_t limit, int64_t until = 1'000'000, model::ExpiryKey from = {});
  std::optional<store::FoundDelivery> find(base::DeliveryId delivery);
  // As it waits; the test fails if it does not.
  model::Delivery waiting(base::DeliveryId delivery);
  std::optional<model::EndState> end_of(base::DeliveryId delivery);
  std::optional<model::Event> content(base::Sequence sequence);
  model::DocumentPage documents(const model::DocumentQuery& query);
  store::Status change_documents(std::vector<model::DocumentChange> changes);

  model::ShardSnapshot acquire(base::ShardId shard = kShard);
  std::vector<model::ShardSnapshot> acquire_all(const std::vector<base::ShardId>& shards);
  // Acquires and goes on as the new owner.
  void own(base::ShardId shard);
  // A new process, which owns kShard.
  void restart();

  uint64_t epoch() const { return epoch_; }
  base::EventId new_event() { return {++last_event_}; }

 private:
  std::unique_ptr<Harness> harness_;
  uint64_t epoch_ = 0;
  uint64_t last_number_ = 0;
  uint64_t last_event_ = 1'000'000;  // above those that tests choose
};

inline std::vector<base::DeliveryId> ids_of(const std::vector<model::Delivery>& deliveries) {
  std::vector<base::DeliveryId> ids;
  ids.reserve(deliveries.size());
  for (const model::Delivery& delivery : deliveries) {
    ids.push_back(delivery.id);
  }
  return ids;
}

}  // namespace conformance

// Runs the tests of a suite on every implementation.
#define HOLD_EVERY_STORE_TO(Suite)                                                          \
  INSTANTIATE_TEST_SUITE_P(Stores, Suite, ::testing::ValuesIn(::conformance::candidates()), \
                           ::conformance::name_of)
