#include "sim/sim_store.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace sim {
namespace {

using base::Duration;
using store::BatchResult;
using store::PublishResult;
using store::SectionResult;
using store::Status;

BatchResult refusal(const store::Batch& batch, Status status) {
  BatchResult result;
  result.publishes.resize(batch.publishes.size());
  for (PublishResult& publish : result.publishes) {
    publish.status = status;
  }
  for (const model::Section& section : batch.sections) {
    result.sections.push_back({.shard = section.shard,
                               .epoch = section.epoch,
                               .number = section.number,
                               .status = status});
  }
  if (!batch.documents.empty()) {
    result.documents = status;
  }
  return result;
}

bool is_same_event(const model::Publish& left, const model::Publish& right) {
  const bool has_same_key = !left.unique_key.empty() && left.tenant == right.tenant &&
                            left.unique_key == right.unique_key;
  return left.event == right.event || has_same_key;
}

}  // namespace

SimStore::SimStore(Options options, StoreHooks hooks)
    : options_(options),
      hooks_(std::move(hooks)),
      prng_(options.seed),
      tables_(options.keep_ended) {}

Duration SimStore::draw(Duration low, Duration high) {
  return low >= high ? low : Duration::ms(prng_.range(low.count_ms(), high.count_ms()));
}

void SimStore::trouble() const {
  if (hooks_.trouble) {
    hooks_.trouble();
  }
}

void SimStore::commit(base::Instant at, store::Batch batch, std::function<void(BatchResult)> done) {
  waiting_.push_back({.at = at, .batch = std::move(batch), .done = std::move(done)});
  if (waiting_.size() == 1 && turn_.empty()) {
    scheduler_->post([this] { begin_turn(); });
  }
}

void SimStore::begin_turn() {
  if (!turn_.empty() || waiting_.empty()) {
    return;
  }
  turn_.swap(waiting_);
  const Duration delay = draw(faults_.commit_delay_min, faults_.commit_delay_max);
  if (delay > Duration::seconds(1)) {
    trouble();
  }
  scheduler_->call_at(scheduler_->now() + delay, [this] { decide_turn(); });
}

void SimStore::decide_turn() {
  const auto refuse_with = [](Status status) {
    return [status](const Waiting& waiting) { return refusal(waiting.batch, status); };
  };
  if (prng_.chance_per_mille(faults_.failed_per_mille)) {
    trouble();
    end_turn(refuse_with(Status::kFailed));
    return;
  }
  if (prng_.chance_per_mille(faults_.unclear_per_mille) && limbo_.empty()) {
    trouble();
    put_prefix_into_limbo();
    end_turn(refuse_with(Status::kUnknown));
    return;
  }
  turn_is_durable_ = true;
  scheduler_->call_at(scheduler_->now() + draw({}, faults_.report_delay_max), [this] {
    end_turn([this](const Waiting& waiting) { return apply(waiting); });
  });
}

template <class Report>
void SimStore::end_turn(const Report& report) {
  turn_is_durable_ = false;
  const std::vector<Waiting> turn = std::move(turn_);
  turn_.clear();
  for (const Waiting& waiting : turn) {
    waiting.done(report(waiting));
  }
  begin_turn();
}

std::vector<SimStore::Limbo> SimStore::pieces_of_turn() const {
  std::vector<Limbo> pieces;
  std::array<uint64_t, base::kShardCount> applied{};
  std::transform(applied_.begin(), applied_.end(), applied.begin(),
                 [](const SectionResult& last) { return last.number; });
  for (const Waiting& waiting : turn_) {
    for (const model::Publish& publish : waiting.batch.publishes) {
      const bool is_repeat = std::any_of(pieces.begin(), pieces.end(), [&](const Limbo& piece) {
        return piece.publish && is_same_event(*piece.publish, publish);
      });
      if (!is_repeat && !tables_.find(publish)) {
        pieces.push_back({.at = waiting.at, .publish = publish});
      }
    }
    for (const model::Section& section : waiting.batch.sections) {
      const bool is_next =
          section.epoch == epochs_[section.shard] && section.number == applied[section.shard] + 1;
      if (is_next) {
        applied[section.shard] += 1;
        pieces.push_back({.at = waiting.at, .section = section});
      }
    }
    if (!waiting.batch.documents.empty()) {
      pieces.push_back({.at = waiting.at, .documents = waiting.batch.documents});
    }
  }
  return pieces;
}

void SimStore::put_prefix_into_limbo() {
  std::vector<Limbo> pieces = pieces_of_turn();
  pieces.resize(prng_.below(pieces.size() + 1));
  limbo_.assign(pieces.begin(), pieces.end());
  show_documents();
}

void SimStore::settle_first() {
  limbo_.pop_front();
  show_documents();
}

void SimStore::show_documents() {
  while (!limbo_.empty() && !limbo_.front().documents.empty()) {
    tables_.apply(limbo_.front().documents);
    last_committed_ = std::max(last_committed_, limbo_.front().at);
    limbo_.pop_front();
  }
}

// While the fate of some pieces is open, the next one that is taken must be the first of them.
bool SimStore::opens_limbo(const model::Section& section) {
  if (limbo_.empty()) {
    return true;
  }
  const Limbo& first = limbo_.front();
  const bool is_first = first.section && first.section->shard == section.shard &&
                        first.section->number == section.number;
  if (is_first) {
    settle_first();
  }
  return is_first;
}

BatchResult SimStore::apply(const Waiting& waiting) {
  BatchResult result;
  for (const model::Publish& publish : waiting.batch.publishes) {
    result.publishes.push_back(apply_publish(publish));
  }
  for (const model::Section& section : waiting.batch.sections) {
    result.sections.push_back(apply_section(section));
  }
  result.documents = apply_documents(waiting.batch.documents);
  if (waiting.batch.low_water) {
    tables_.raise_low_water(*waiting.batch.low_water);
  }
  last_committed_ = std::max(last_committed_, waiting.at);
  return result;
}

PublishResult SimStore::apply_publish(const model::Publish& publish) {
  if (auto known = tables_.find(publish)) {
    return {.status = Status::kCommitted,
            .is_repeat = true,
            .deliveries = std::move(known->deliveries),
            .sequence = known->sequence,
            .digest = known->digest};
  }
  if (limbo_.empty()) {
    return store_publish(publish);
  }
  if (!limbo_.front().publish || !is_same_event(*limbo_.front().publish, publish)) {
    trouble();
    return {.status = Status::kFailed, .deliveries = {}};
  }
  // Another event with the same unique key only learns of the one that is stored.
  const model::Publish first = *std::move(limbo_.front().publish);
  const PublishResult result = store_publish(first);
  settle_first();
  return result;
}

PublishResult SimStore::store_publish(const model::Publish& publish) {
  StoredPublish stored = tables_.publish(publish);
  if (hooks_.published) {
    hooks_.published(publish, stored.deliveries);
  }
  return {.status = Status::kCommitted,
          .is_repeat = false,
          .deliveries = std::move(stored.deliveries),
          .sequence = stored.sequence,
          .digest = stored.digest};
}

SectionResult SimStore::apply_section(const model::Section& section) {
  SectionResult result{.shard = section.shard,
                       .epoch = section.epoch,
                       .number = section.number,
                       .status = Status::kFailed};
  const SectionResult& last = applied_[section.shard];
  if (section.epoch != epochs_[section.shard]) {
    result.status = Status::kFenced;
    if (hooks_.fenced) {
      hooks_.fenced(section.shard);
    }
    return result;
  }
  if (section.number == last.number) {
    return last;
  }
  if (section.number < last.number) {
    result.status = Status::kCommitted;
    return result;
  }
  if (section.number != last.number + 1 || !opens_limbo(section)) {
    trouble();
    return result;
  }
  applied_[section.shard] = store_section(section);
  return applied_[section.shard];
}

SectionResult SimStore::store_section(const model::Section& section) {
  SectionResult result{.shard = section.shard,
                       .epoch = section.epoch,
                       .number = section.number,
                       .status = Status::kCommitted};
  if (hooks_.committed) {
    hooks_.committed(section);
  }
  for (const model::DeliveryChange& change : section.deliveries) {
    for (const model::Delivery& delivery : tables_.apply(change)) {
      result.promoted.push_back(delivery);
    }
  }
  std::erase_if(result.promoted, [this](const model::Delivery& delivery) {
    const StoredDelivery* const stored = tables_.find(delivery.id);
    return stored == nullptr || stored->end.has_value();
  });
  for (const model::EndpointRecord& record : section.endpoints) {
    tables_.put(record);
  }
  for (const model::Publish& publish : section.publishes) {
    // As one with its section, which has had its turn, whatever else is open.
    const auto known = tables_.find(publish);
    const auto published = known ? known->deliveries : store_publish(publish).deliveries;
    result.published.insert(result.published.end(), published.begin(), published.end());
  }
  return result;
}

Status SimStore::apply_documents(const std::vector<model::DocumentChange>& changes) {
  if (changes.empty()) {
    return Status::kCommitted;
  }
  if (!limbo_.empty()) {
    trouble();
    return Status::kFailed;
  }
  return tables_.apply(changes) ? Status::kCommitted : Status::kConflict;
}

void SimStore::crash() {
  const std::vector<Waiting> turn = std::move(turn_);
  turn_.clear();
  waiting_.clear();
  if (turn_is_durable_) {
    for (const Waiting& waiting : turn) {
      apply(waiting);
    }
  }
  turn_is_durable_ = false;
  for (const Limbo& piece : std::exchange(limbo_, {})) {
    if (piece.publish) {
      apply_publish(*piece.publish);
    } else if (piece.section) {
      apply_section(*piece.section);
    } else {
      tables_.apply(piece.documents);
    }
    last_committed_ = std::max(last_committed_, piece.at);
  }
}

bool SimStore::take_shard(base::ShardId shard) {
  if (!limbo_.empty()) {
    return false;
  }
  epochs_[shard] += 1;
  applied_[shard] = {};
  return true;
}

void SimStore::load_due(const model::DueQuery& query, std::function<void(model::DuePage)> done) {
  scheduler_->call_at(scheduler_->now() + draw({}, faults_.read_delay_max),
                      [page = tables_.due(query), done = std::move(done)] { done(page); });
}

void SimStore::load_expired(const model::ExpiryQuery& query,
                            std::function<void(model::ExpiryPage)> done) {
  scheduler_->call_at(scheduler_->now() + draw({}, faults_.read_delay_max),
                      [page = tables_.expired(query), done = std::move(done)] { done(page); });
}

void SimStore::load_delivery(base::DeliveryId delivery,
                             std::function<void(std::optional<store::FoundDelivery>)> done) {
  std::optional<store::FoundDelivery> found;
  if (const StoredDelivery* const stored = tables_.find(delivery)) {
    found = {.delivery = stored->delivery, .end = stored->end};
  }
  scheduler_->call_at(scheduler_->now() + draw({}, faults_.read_delay_max),
                      [found, done = std::move(done)] { done(found); });
}

void SimStore::load_event(base::Sequence sequence,
                          std::function<void(std::optional<model::Event>)> done) {
  scheduler_->call_at(scheduler_->now() + draw({}, faults_.read_delay_max),
                      [content = tables_.content(sequence), done = std::move(done)] {
                        done(content ? std::optional(*content) : std::nullopt);
                      });
}

void SimStore::load_documents(const model::DocumentQuery& query,
                              std::function<void(model::DocumentPage)> done) {
  scheduler_->call_at(scheduler_->now() + draw({}, faults_.read_delay_max),
                      [page = tables_.documents(query), done = std::move(done)] { done(page); });
}

void SimStore::acquire(std::vector<base::ShardId> shards,
                       std::function<void(std::vector<model::ShardSnapshot>)> done) {
  scheduler_->call_at(scheduler_->now() + draw({}, faults_.read_delay_max),
                      [this, shards = std::move(shards), done = std::move(done)] {
                        std::vector<model::ShardSnapshot> snapshots;
                        for (const base::ShardId shard : shards) {
                          epochs_[shard] += 1;
                          applied_[shard] = {};
                          model::ShardSnapshot& snapshot =
                              snapshots.emplace_back(tables_.snapshot(shard));
                          snapshot.epoch = epochs_[shard];
                        }
                        done(std::move(snapshots));
                      });
}

}  // namespace sim
