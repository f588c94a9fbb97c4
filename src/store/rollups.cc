#include "store/rollups.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/outcome.h"
#include "store/bytes.h"

namespace store {
namespace {

// All the counts of a row, so that writing, reading and adding cannot differ in their order.
template <class Row>
auto fields_of(Row& counts) {
  return std::array{&counts.attempts, &counts.failures,  &counts.delivered,
                    &counts.dropped,  &counts.cancelled, &counts.duration_ms};
}

class RollupAdder final : public rocksdb::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "PostriderRollupAdder"; }

  bool Merge(const rocksdb::Slice& /*key*/, const rocksdb::Slice* existing,
             const rocksdb::Slice& operand, std::string* result,
             rocksdb::Logger* /*logger*/) const override {
    auto sum = decode_counts(operand.ToStringView());
    if (!sum.has_value()) {
      return false;
    }
    if (existing != nullptr) {
      const auto before = decode_counts(existing->ToStringView());
      if (!before.has_value()) {
        return false;
      }
      *sum += *before;
    }
    *result = encode_counts(*sum);
    return true;
  }
};

}  // namespace

Counts& Counts::operator+=(const Counts& other) {
  const auto mine = fields_of(*this);
  const auto theirs = fields_of(other);
  for (size_t index = 0; index < mine.size(); ++index) {
    *mine[index] += *theirs[index];
  }
  return *this;
}

std::string encode_counts(const Counts& counts) {
  std::string record;
  ByteWriter writer(record);
  for (const uint64_t* const count : fields_of(counts)) {
    writer.varint(*count);
  }
  return record;
}

base::Result<Counts> decode_counts(std::string_view record) {
  ByteReader reader(record);
  Counts counts;
  for (uint64_t* const count : fields_of(counts)) {
    *count = reader.varint();
  }
  if (!reader.is_complete()) {
    return base::fail(base::ErrorCode::kCorrupt, "a row of hourly counts is malformed");
  }
  return counts;
}

Counts counts_of(const model::DeliveryChange& change) {
  Counts counts;
  if (change.attempt) {
    counts.attempts = 1;
    counts.failures = is_success(change.attempt->outcome) ? 0 : 1;
    const base::Duration took = change.attempt->finished_at - change.attempt->started_at;
    counts.duration_ms = static_cast<uint64_t>(std::max<int64_t>(took.count_ms(), 0));
  }
  if (change.end) {
    counts.delivered = *change.end == model::EndState::kDelivered ? 1 : 0;
    counts.dropped = *change.end == model::EndState::kDropped ? 1 : 0;
    counts.cancelled = *change.end == model::EndState::kCancelled ? 1 : 0;
  }
  return counts;
}

std::shared_ptr<rocksdb::MergeOperator> make_rollup_adder() {
  return std::make_shared<RollupAdder>();
}

void RollupLedger::add(const model::DeliveryOwner& owner, int64_t hour, const Counts& counts) {
  WaitingCounts& waiting = waiting_[owner.endpoint.value];
  for (WaitingCount& count : waiting) {
    if (count.subscription == owner.subscription && count.hour == hour) {
      count.counts += counts;
      return;
    }
  }
  waiting.push_back(
      {.tenant = owner.tenant, .subscription = owner.subscription, .hour = hour, .counts = counts});
}

void RollupLedger::add(const RollupLedger& other) {
  for (const auto& [endpoint, waiting] : other.waiting_) {
    for (const WaitingCount& count : waiting) {
      add({.tenant = count.tenant,
           .endpoint = {endpoint},
           .subscription = count.subscription,
           .object = {}},
          count.hour, count.counts);
    }
  }
}

const WaitingCounts* RollupLedger::find(base::EndpointId endpoint) const {
  const auto found = waiting_.find(endpoint.value);
  return found == waiting_.end() ? nullptr : &found->second;
}

WaitingCounts RollupLedger::take(base::EndpointId endpoint) {
  const auto found = waiting_.find(endpoint.value);
  if (found == waiting_.end()) {
    return {};
  }
  WaitingCounts taken = std::move(found->second);
  waiting_.erase(found);
  return taken;
}

void RollupLedger::forget(base::ShardId shard) {
  std::erase_if(waiting_, [shard](const auto& entry) {
    return base::EndpointId{entry.first}.shard() == shard;
  });
}

}  // namespace store
