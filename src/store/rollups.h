// Hourly counts per endpoint and per subscription, which views read instead of deliveries.
//
// A first attempt that succeeds must cost no third record, so its counts wait here, per endpoint,
// until the core writes the endpoint's record, which includes them; recovery counts again what that
// record lacks. So the rows are exact, whatever crashes.
#pragma once

#include <rocksdb/merge_operator.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "model/delivery.h"
#include "store/keys.h"

namespace store {

struct Counts {
  uint64_t attempts = 0;
  uint64_t failures = 0;
  uint64_t delivered = 0;
  uint64_t dropped = 0;
  uint64_t cancelled = 0;
  uint64_t duration_ms = 0;  // of all attempts

  Counts& operator+=(const Counts& other);
  friend bool operator==(const Counts&, const Counts&) = default;
};

std::string encode_counts(const Counts& counts);
base::Result<Counts> decode_counts(std::string_view record);

// What one change adds.
Counts counts_of(const model::DeliveryChange& change);

// Adds up the operands of a row.
std::shared_ptr<rocksdb::MergeOperator> make_rollup_adder();

struct RollupRow {
  RollupKind kind = RollupKind::kEndpoint;
  base::TenantId tenant;
  uint64_t id = 0;
  int64_t hour = 0;
};

// What waits for the record of an endpoint; one of these per subscription and hour.
struct WaitingCount {
  base::TenantId tenant;
  base::SubscriptionId subscription;
  int64_t hour = 0;
  Counts counts;
};
using WaitingCounts = std::vector<WaitingCount>;

class RollupLedger {
 public:
  void add(const model::DeliveryOwner& owner, int64_t hour, const Counts& counts);
  void add(const RollupLedger& other);

  const WaitingCounts* find(base::EndpointId endpoint) const;
  WaitingCounts take(base::EndpointId endpoint);
  // Another owner will count again what waits here.
  void forget(base::ShardId shard);

 private:
  std::unordered_map<uint64_t, WaitingCounts> waiting_;  // by endpoint; never iterated in order
};

}  // namespace store
