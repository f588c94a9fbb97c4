#include "tests/conformance/lockstep_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "tests/conformance/describe.h"

namespace conformance {
namespace {

using base::Duration;
using model::Delivery;
using store::Batch;
using store::BatchResult;
using store::Status;

// Simulated events have no content: give them one that can be made again from the event alone.
void furnish(model::Publish& publish) {
  const uint64_t seed = base::mix(publish.event.value);
  publish.content = std::make_shared<model::Event>(
      model::Event{.tenant = publish.tenant,
                   .id = "event-" + std::to_string(publish.event.value),
                   .type = "type-" + std::to_string(seed % 7),
                   .object_code = {},
                   .object_id = std::to_string(seed % 1'000),
                   .payload = std::string(seed % 300, static_cast<char>('a' + seed % 26)),
                   .unmatched_reason = publish.deliveries.empty() ? "nobody wants it" : "",
                   .redelivery_of = {},
                   .traceparent = seed % 2 == 0 ? "" : "trace-" + std::to_string(seed % 11)});
  publish.digest = seed;
  if (seed % 3 == 0) {
    publish.unique_key = publish.content->id;
  }
}

void furnish(Batch& batch) {
  for (model::Publish& publish : batch.publishes) {
    furnish(publish);
  }
  for (model::Section& section : batch.sections) {
    for (model::Publish& publish : section.publishes) {
      furnish(publish);
    }
  }
}

bool is_settled(Status status) { return status != Status::kFailed && status != Status::kUnknown; }

}  // namespace

LockstepStore::LockstepStore(const Options& options, sim::StoreHooks hooks, Harness& other)
    : SimStore(options, watched(std::move(hooks))), other_(other), prng_(options.seed) {}

sim::StoreHooks LockstepStore::watched(sim::StoreHooks hooks) {
  sim::StoreHooks ours = hooks;
  ours.committed = [this, inner = std::move(hooks.committed)](const model::Section& section) {
    if (is_crashing_) {
      revealed_.push_back({.publish = {}, .section = section, .deliveries = {}});
    }
    if (inner) {
      inner(section);
    }
  };
  ours.published = [this, inner = std::move(hooks.published)](const model::Publish& publish,
                                                              const std::vector<Delivery>& queued) {
    // Those of sections are known from their section.
    if (is_crashing_ && open_.contains(publish.event)) {
      revealed_.push_back({.publish = publish, .section = {}, .deliveries = queued});
    }
    if (inner) {
      inner(publish, queued);
    }
  };
  return ours;
}

template <class Answer, class Call>
Answer LockstepStore::ask_other(const Call& call) {
  std::optional<Answer> answer;
  call([&answer](Answer result) { answer = std::move(result); });
  CHECK(other_.run_until([&answer] { return answer.has_value(); }));
  return *std::move(answer);
}

void LockstepStore::compare(const std::string& ours, const std::string& theirs) {
  comparisons_ += 1;
  if (ours != theirs && ++differences_ <= 3) {
    EXPECT_EQ(ours, theirs) << "after " << comparisons_ << " comparisons";
  }
}

// --- Commits ---

void LockstepStore::commit(base::Instant at, Batch batch, std::function<void(BatchResult)> done) {
  furnish(batch);
  for (const model::Publish& publish : batch.publishes) {
    open_.insert(publish.event);
  }
  Batch copy = batch;
  SimStore::commit(
      at, std::move(copy),
      [this, at, batch = std::move(batch), done = std::move(done)](const BatchResult& result) {
        mirror(at, batch, result);
        done(result);
      });
}

bool LockstepStore::is_repeat(const model::Section& section) {
  auto& [epoch, number] = written_[section.shard];
  const std::pair<uint64_t, uint64_t> now{section.epoch, section.number};
  if (now <= std::pair{epoch, number}) {
    return true;
  }
  std::tie(epoch, number) = now;
  return false;
}

void LockstepStore::mirror(base::Instant at, const Batch& batch, const BatchResult& ours) {
  Batch settled;
  BatchResult expected;
  for (size_t i = 0; i < batch.publishes.size(); ++i) {
    const store::PublishResult& result = ours.publishes[i];
    if (is_settled(result.status)) {
      open_.erase(batch.publishes[i].event);
      settled.publishes.push_back(batch.publishes[i]);
      expected.publishes.push_back(result);
      known_.insert(known_.end(), result.deliveries.begin(), result.deliveries.end());
    }
  }
  std::vector<bool> is_repeated;
  for (size_t i = 0; i < batch.sections.size(); ++i) {
    const store::SectionResult& result = ours.sections[i];
    if (is_settled(result.status)) {
      settled.sections.push_back(batch.sections[i]);
      expected.sections.push_back(result);
      is_repeated.push_back(is_repeat(batch.sections[i]));
      known_.insert(known_.end(), result.published.begin(), result.published.end());
    }
  }
  low_water_ = std::max(low_water_, tables().low_water());
  settled.low_water = low_water_;
  BatchResult theirs = ask_other<BatchResult>(
      [&](auto done) { other_.store().commit(at, settled, std::move(done)); });
  for (size_t i = 0; i < is_repeated.size() && i < theirs.sections.size(); ++i) {
    if (is_repeated[i]) {  // whoever was told once need not be told again
      expected.sections[i].promoted = theirs.sections[i].promoted = {};
      expected.sections[i].published = theirs.sections[i].published = {};
    }
  }
  compare(describe(expected), describe(theirs));
  if (++commits_ % 16 == 0) {
    compare_some();
  }
}

void LockstepStore::crash() {
  is_crashing_ = true;
  SimStore::crash();
  is_crashing_ = false;
  open_.clear();
  for (const Revealed& piece : std::exchange(revealed_, {})) {
    mirror(piece);
  }
  mirror_low_water();
  other_.crash_and_reopen();
}

void LockstepStore::mirror(const Revealed& piece) {
  Batch batch;
  if (piece.publish) {
    batch.publishes.push_back(*piece.publish);
  } else {
    batch.sections.push_back(*piece.section);
    is_repeat(*piece.section);
  }
  const BatchResult theirs = ask_other<BatchResult>(
      [&](auto done) { other_.store().commit(last_committed(), batch, std::move(done)); });
  if (piece.publish) {
    known_.insert(known_.end(), piece.deliveries.begin(), piece.deliveries.end());
    compare(describe(piece.deliveries), describe(theirs.publishes.at(0).deliveries));
  } else {
    EXPECT_EQ(theirs.sections.at(0).status, Status::kCommitted);
  }
}

void LockstepStore::mirror_low_water() {
  low_water_ = tables().low_water();
  ask_other<BatchResult>([&](auto done) {
    other_.store().commit(last_committed(),
                          {.publishes = {}, .sections = {}, .low_water = low_water_},
                          std::move(done));
  });
}

bool LockstepStore::take_shard(base::ShardId shard) {
  const bool is_taken = SimStore::take_shard(shard);
  if (is_taken) {
    ask_other<std::vector<model::ShardSnapshot>>(
        [&](auto done) { other_.store().acquire({shard}, std::move(done)); });
  }
  return is_taken;
}

void LockstepStore::acquire(std::vector<base::ShardId> shards,
                            std::function<void(std::vector<model::ShardSnapshot>)> done) {
  SimStore::acquire(shards,
                    [this, shards, done = std::move(done)](std::vector<model::ShardSnapshot> ours) {
                      const auto theirs = ask_other<std::vector<model::ShardSnapshot>>(
                          [&](auto answer) { other_.store().acquire(shards, std::move(answer)); });
                      ASSERT_EQ(ours.size(), theirs.size());
                      for (size_t i = 0; i < ours.size(); ++i) {
                        compare(describe(ours[i]), describe(theirs[i]));
                      }
                      done(std::move(ours));
                    });
}

// --- Reads: the other store is asked at the moment of the question ---

void LockstepStore::load_due(const model::DueQuery& query,
                             std::function<void(model::DuePage)> done) {
  compare_due(query);
  SimStore::load_due(query, std::move(done));
}

void LockstepStore::load_expired(const model::ExpiryQuery& query,
                                 std::function<void(model::ExpiryPage)> done) {
  compare_expired(query);
  SimStore::load_expired(query, std::move(done));
}

void LockstepStore::load_delivery(base::DeliveryId delivery,
                                  std::function<void(std::optional<store::FoundDelivery>)> done) {
  compare_delivery(delivery);
  SimStore::load_delivery(delivery, std::move(done));
}

void LockstepStore::compare_due(const model::DueQuery& query) {
  const auto theirs = ask_other<model::DuePage>(
      [&](auto done) { other_.store().load_due(query, std::move(done)); });
  compare(describe(tables().due(query)), describe(theirs));
}

void LockstepStore::compare_expired(const model::ExpiryQuery& query) {
  const auto theirs = ask_other<model::ExpiryPage>(
      [&](auto done) { other_.store().load_expired(query, std::move(done)); });
  compare(describe(tables().expired(query)), describe(theirs));
}

void LockstepStore::compare_delivery(base::DeliveryId id) {
  const auto theirs = ask_other<std::optional<store::FoundDelivery>>(
      [&](auto done) { other_.store().load_delivery(id, std::move(done)); });
  std::optional<store::FoundDelivery> ours;
  if (const sim::StoredDelivery* const stored = tables().find(id)) {
    ours = {.delivery = stored->delivery, .end = stored->end};
  }
  compare(describe(ours), describe(theirs));
}

void LockstepStore::compare_content(base::Sequence sequence) {
  const auto theirs = ask_other<std::optional<model::Event>>(
      [&](auto done) { other_.store().load_event(sequence, std::move(done)); });
  const auto content = tables().content(sequence);
  compare(content ? describe(*content) : describe(std::optional<model::Event>()), describe(theirs));
}

// Questions that a core would not ask just now.
void LockstepStore::compare_some() {
  if (known_.empty()) {
    return;
  }
  const Delivery& any = known_[prng_.below(known_.size())];
  compare_delivery(any.id);
  compare_delivery({any.id.value + 1});
  compare_content(any.id.sequence());
  for (const model::DueRange range : {model::DueRange::kFirst, model::DueRange::kRetry}) {
    compare_due({.endpoint = any.endpoint,
                 .queue = any.queue,
                 .range = range,
                 .from = {.due = any.due - Duration::minutes(prng_.range(0, 60)), .delivery = {}},
                 .until = any.due + Duration::minutes(prng_.range(0, 600)),
                 .limit = static_cast<uint32_t>(prng_.range(1, 20))});
  }
  compare_expired({.shard = any.endpoint.shard(),
                   .from = {.last_slot = any.due, .delivery = {}},
                   .until = any.last_slot + Duration::minutes(prng_.range(-60, 60)),
                   .limit = static_cast<uint32_t>(prng_.range(1, 20))});
}

void LockstepStore::compare_everything() {
  for (const Delivery& delivery : known_) {
    compare_delivery(delivery.id);
    compare_content(delivery.id.sequence());
  }
  for (uint32_t shard = 0; shard < base::kShardCount; ++shard) {
    compare_expired({.shard = static_cast<base::ShardId>(shard),
                     .from = {},
                     .until = base::Instant::never(),
                     .limit = 1'000'000});
  }
}

}  // namespace conformance
