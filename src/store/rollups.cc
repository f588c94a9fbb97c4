#include "store/rollups.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/prefetch.h"
#include "model/outcome.h"

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

void put_counts(ByteWriter& writer, const Counts& counts) {
  for (const uint64_t* const count : fields_of(counts)) {
    writer.varint(*count);
  }
}

Counts get_counts(ByteReader& reader) {
  Counts counts;
  for (uint64_t* const count : fields_of(counts)) {
    *count = reader.varint();
  }
  return counts;
}

std::string encode_counts(const Counts& counts) {
  std::string record;
  ByteWriter writer(record);
  put_counts(writer, counts);
  return record;
}

base::Result<Counts> decode_counts(std::string_view record) {
  ByteReader reader(record);
  const Counts counts = get_counts(reader);
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

void add_count(WaitingCounts& waiting, const WaitingCount& count) {
  for (WaitingCount& earlier : waiting) {
    if (earlier.subscription == count.subscription && earlier.hour == count.hour) {
      earlier.counts += count.counts;
      return;
    }
  }
  waiting.push_back(count);
}

// --- RollupLedger ---

void RollupLedger::add(base::EndpointId endpoint, const WaitingCount& count) {
  const uint32_t first = first_.find(endpoint.value);
  for (uint32_t at = first; at != base::kNoIndex; at = entries_[at].next) {
    WaitingCount& earlier = entries_[at].count;
    if (earlier.subscription == count.subscription && earlier.hour == count.hour) {
      earlier.counts += count.counts;
      return;
    }
  }
  const uint32_t added = allocate();
  entries_[added] = {.endpoint = endpoint, .count = count};
  if (first == base::kNoIndex) {
    first_.insert(endpoint.value, added);
  } else {
    entries_[added].next = entries_[first].next;
    entries_[first].next = added;
  }
}

void RollupLedger::add(const RollupLedger& other) {
  for (const Entry& entry : other.entries_) {
    if (entry.endpoint.is_set()) {
      add(entry.endpoint, entry.count);
    }
  }
}

void RollupLedger::prefetch_counts(base::EndpointId endpoint) const {
  const uint32_t first = first_.find(endpoint.value);
  if (first != base::kNoIndex) {
    base::prefetch(&entries_[first], 1);
  }
}

WaitingCounts RollupLedger::read(base::EndpointId endpoint) const {
  WaitingCounts waiting;
  for (uint32_t at = first_.find(endpoint.value); at != base::kNoIndex; at = entries_[at].next) {
    waiting.push_back(entries_[at].count);
  }
  return waiting;
}

WaitingCounts RollupLedger::take(base::EndpointId endpoint) {
  WaitingCounts taken;
  uint32_t at = first_.find(endpoint.value);
  if (at != base::kNoIndex) {
    first_.erase(endpoint.value);
  }
  while (at != base::kNoIndex) {
    taken.push_back(entries_[at].count);
    const uint32_t next = entries_[at].next;
    entries_[at] = {.endpoint = {}, .count = {}, .next = free_};
    free_ = at;
    at = next;
  }
  return taken;
}

void RollupLedger::forget(base::ShardId shard) {
  for (uint32_t at = 0; at < entries_.size(); ++at) {
    const base::EndpointId endpoint = entries_[at].endpoint;
    if (endpoint.is_set() && endpoint.shard() == shard) {
      take(endpoint);
    }
  }
}

uint32_t RollupLedger::allocate() {
  if (free_ == base::kNoIndex) {
    entries_.emplace_back();
    return static_cast<uint32_t>(entries_.size() - 1);
  }
  return std::exchange(free_, entries_[free_].next);
}

// --- RecentCounts ---

void RecentCounts::add(base::EndpointId endpoint, const WaitingCount& count) {
  if (by_endpoint_) {
    by_endpoint_->add(endpoint, count);
  } else {
    entries_.push_back({.endpoint = endpoint, .count = count});
  }
}

WaitingCounts RecentCounts::take(base::EndpointId endpoint) {
  if (!by_endpoint_) {
    RollupLedger ledger;
    add_to(ledger);
    by_endpoint_ = std::move(ledger);
    entries_.clear();
  }
  return by_endpoint_->take(endpoint);
}

void RecentCounts::add_to(RollupLedger& ledger) const {
  constexpr size_t kAhead = 8;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (i + 2 * kAhead < entries_.size()) {
      ledger.prefetch_place(entries_[i + 2 * kAhead].endpoint);
      ledger.prefetch_counts(entries_[i + kAhead].endpoint);
    }
    ledger.add(entries_[i].endpoint, entries_[i].count);
  }
  if (by_endpoint_) {
    ledger.add(*by_endpoint_);
  }
}

}  // namespace store
