// Hourly counts per endpoint and per subscription, which views read instead of deliveries.
//
// A first attempt that succeeds must cost no third record, so its counts wait here, per endpoint.
// When the core writes the endpoint's record they go into it, beside what the core has to say; they
// become rows only when their hour is over. Recovery finds them in the record and counts again what
// that lacks. So rows and waiting counts together are exact, whatever crashes.
#pragma once

#include <rocksdb/merge_operator.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id_table.h"
#include "base/ids.h"
#include "base/result.h"
#include "model/delivery.h"
#include "store/bytes.h"
#include "store/counts.h"
#include "store/keys.h"

namespace store {

void put_counts(ByteWriter& writer, const Counts& counts);
Counts get_counts(ByteReader& reader);
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

void add_count(WaitingCounts& waiting, const WaitingCount& count);

class RollupLedger {
 public:
  void add(base::EndpointId endpoint, const WaitingCount& count);
  void add(const RollupLedger& other);
  WaitingCounts read(base::EndpointId endpoint) const;
  WaitingCounts take(base::EndpointId endpoint);
  // Two hints that counts of this endpoint will soon be added, the second when the first has come
  // to effect: with very many endpoints each is a miss of the cache.
  void prefetch_place(base::EndpointId endpoint) const { first_.prefetch(endpoint.value); }
  void prefetch_counts(base::EndpointId endpoint) const;
  // Another owner will count again what waits here.
  void forget(base::ShardId shard);

 private:
  struct Entry {
    base::EndpointId endpoint;  // not set: free
    WaitingCount count;
    uint32_t next = base::kNoIndex;  // of the same endpoint, or the next that is free
  };

  uint32_t allocate();

  base::IdTable first_;  // by endpoint
  std::vector<Entry> entries_;
  uint32_t free_ = base::kNoIndex;
};

// What one commit adds to the ledger. Most commits add and write no endpoint's record: so it is a
// list until somebody asks for an endpoint.
class RecentCounts {
 public:
  void add(base::EndpointId endpoint, const WaitingCount& count);
  WaitingCounts take(base::EndpointId endpoint);
  void add_to(RollupLedger& ledger) const;

 private:
  struct Entry {
    base::EndpointId endpoint;
    WaitingCount count;
  };

  std::vector<Entry> entries_;
  std::optional<RollupLedger> by_endpoint_;  // instead of the list
};

}  // namespace store
