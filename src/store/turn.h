// One commit: decides what everything that waits does to the tables, and gathers it in one atomic
// batch. Nothing of it is true before the committer has written that batch: a turn that failed is
// thrown away and made again.
//
// Reads of the database see what was committed before; what this turn itself writes and may read
// again (lines of ordered deliveries, unique keys, documents) is kept beside it.
#pragma once

#include <rocksdb/write_batch.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "model/section.h"
#include "store/codec.h"
#include "store/database.h"
#include "store/rollups.h"
#include "store/standing.h"
#include "store/store.h"

namespace store {

// Who owns a shard, and how far that owner's sections have come.
struct ShardOwner {
  uint64_t epoch = 0;
  uint64_t applied = 0;   // number of the last section
  bool is_known = false;  // false: of an earlier process, and nobody knows how far it came
};
using ShardOwners = std::array<ShardOwner, base::kShardCount>;

// Events that are gone from this commit on, with all that hangs on them; see retention.h.
struct Removal {
  // What is between these is gone, though its records may still be there until they are swept.
  std::vector<SequenceRange> ranges = {};
  std::vector<std::string> unique_keys = {};
  Totals removed = {};  // how the deliveries that go had ended, and the number of events
  base::Sequence retained_from = 0;
};

class Turn {
 public:
  // What came before it.
  struct Before {
    const Standing& standing;
    const ShardOwners& owners;
    const RollupLedger& ledger;
  };

  // Fills `batch`, which must be empty: its memory serves turn after turn.
  Turn(const Database& database, const Before& before, rocksdb::WriteBatch& batch);

  base::Result<BatchResult> apply(base::Instant at, const Batch& batch);
  void acquire(base::ShardId shard);
  void erase(Family family, std::string_view key);
  void remove(const Removal& removal);
  // With the counts that wait for its record.
  void erase_endpoint(base::EndpointId endpoint);
  // A row of the table meta.
  void remember(std::string_view key, std::string_view value) { put(Family::kMeta, key, value); }

  // After the last: the state row that goes with it all.
  rocksdb::WriteBatch& finish();

  const Standing& standing() const { return standing_; }
  const ShardOwners& owners() const { return owners_; }
  // Brings the ledger up to what waits after this turn.
  void settle(RollupLedger& ledger) const;

 private:
  using Line = std::pair<base::SubscriptionId, base::ObjectId>;
  struct LineChanges {
    std::set<base::DeliveryId> added;
    std::set<base::DeliveryId> removed;
  };

  void note_time(base::Instant at);
  base::Result<PublishResult> publish(const model::Publish& publish);
  base::Result<std::optional<PublishResult>> find_repeat(std::string_view key);
  base::Result<bool> queue(model::Delivery& delivery);
  base::Result<SectionResult> section(const model::Section& section);
  base::Result<bool> write_section(const model::Section& section, SectionResult& result);
  base::Result<bool> change(const model::DeliveryChange& change, base::Instant at,
                            std::vector<model::Delivery>& promoted);
  void write_outcome(const model::DeliveryChange& change, base::Instant at);
  void count(const model::DeliveryChange& change, base::Instant at);
  void count_end(model::EndState end);
  base::Result<bool> leave_line(const model::DeliveryOwner& owner, base::DeliveryId ended,
                                std::vector<model::Delivery>& promoted);
  base::Result<std::optional<base::DeliveryId>> first_in_line(const Line& line);
  base::Result<model::Delivery> load_ordered(const Line& line, base::DeliveryId id);
  void put_waiting(const model::Delivery& delivery);
  void put_endpoint(const model::EndpointRecord& record);
  WaitingCounts counts_for(const model::EndpointRecord& record);
  void add_rows(base::TenantId tenant, base::EndpointId endpoint, const WaitingCount& count);
  void add_row(const RollupRow& row, const Counts& counts);
  base::Result<Status> documents(const std::vector<model::DocumentChange>& changes);
  base::Result<uint64_t> revision_of(const std::string& key);

  void put(Family family, std::string_view key, std::string_view value);

  const Database& database_;
  const RollupLedger& ledger_;
  Standing standing_;
  ShardOwners owners_;
  rocksdb::WriteBatch& batch_;
  base::Instant at_;          // of the batch under way
  uint32_t transitions_ = 0;  // so far
  std::string record_;        // where events and outcomes are encoded, one after the other

  std::map<Line, LineChanges> lines_;
  std::map<base::DeliveryId, model::Delivery> ordered_now_;
  std::map<std::string, PublishResult, std::less<>> published_now_;  // by unique key
  std::map<std::string, uint64_t, std::less<>> revisions_now_;       // 0: deleted
  RecentCounts counts_now_;  // since their endpoints' records, or the turn before
  // Endpoints whose records this turn writes, and what waits in those.
  std::unordered_map<uint64_t, WaitingCounts> written_now_;
};

}  // namespace store
