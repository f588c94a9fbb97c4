#include "store/sweep.h"

#include <rocksdb/convenience.h>

#include <optional>
#include <string>
#include <utility>

#include "store/codec.h"
#include "store/database.h"
#include "store/event_walk.h"
#include "store/keys.h"
#include "store/retention_cut.h"
#include "store/upkeep.h"

namespace store {
namespace {

using base::Sequence;

// The ends are excluded: what begins there stays.
base::Result<bool> drop_files(const Database& database, Family family,
                              const std::vector<SequenceRange>& ranges) {
  std::vector<KeyRange> keys;
  std::vector<rocksdb::Slice> ends;
  std::vector<rocksdb::RangePtr> bounds;
  keys.reserve(ranges.size());
  ends.reserve(ranges.size() * 2);
  bounds.reserve(ranges.size());
  for (const SequenceRange& range : ranges) {
    const KeyRange& key = keys.emplace_back(key_range(family, range));
    const rocksdb::Slice& from = ends.emplace_back(key.from);
    const rocksdb::Slice& until = ends.emplace_back(key.until);
    bounds.emplace_back(&from, &until);
  }
  const rocksdb::Status status = rocksdb::DeleteFilesInRanges(
      &database.db(), database.family(family), bounds.data(), bounds.size(), /*include_end=*/false);
  if (!status.ok()) {
    return std::unexpected(error_of(status, "cannot drop files"));
  }
  return true;
}

base::Result<uint64_t> drop_all_files(Upkeep& upkeep, const std::vector<SequenceRange>& ranges) {
  TRY(const Gate::Visit visit, upkeep.stay());
  const Database& database = visit.view().database;
  uint64_t bytes = 0;
  for (const SequenceRange& range : ranges) {
    bytes += approximate_bytes(database, range);
  }
  TRY([[maybe_unused]] const bool has_events, drop_files(database, Family::kEvents, ranges));
  TRY([[maybe_unused]] const bool has_outcomes, drop_files(database, Family::kOutcomes, ranges));
  return bytes;
}

// The keys of events that are left in the ranges, a slice at a time.
class Remainder {
 public:
  explicit Remainder(const std::vector<SequenceRange>& ranges)
      : range_(ranges.begin()), end_(ranges.end()) {}

  bool is_done() const { return range_ == end_; }

  base::Result<std::vector<std::string>> next(const Database& database) {
    std::vector<std::string> keys;
    Scan scan(database, Family::kEvents, sequence_key(from_), {}, Scan::Length::kLong);
    while (!is_done() && keys.size() < Upkeep::kSliceKeys) {
      if (scan.is_valid() && scan.key().size() != kSequenceKeySize) {
        scan.next();  // damaged: the audit's affair
      } else if (!scan.is_valid() || sequence_of(scan.key()) >= range_->until) {
        ++range_;
      } else if (sequence_of(scan.key()) < range_->from) {
        scan.seek(sequence_key(range_->from));
      } else {
        from_ = sequence_of(scan.key()) + 1;
        keys.emplace_back(scan.key());
        scan.next();
      }
    }
    TRY([[maybe_unused]] const bool is_read, scan.status());
    return keys;
  }

 private:
  std::vector<SequenceRange>::const_iterator range_;
  std::vector<SequenceRange>::const_iterator end_;
  Sequence from_ = 0;
};

base::Result<bool> delete_remainder(Upkeep& upkeep, const std::vector<SequenceRange>& ranges) {
  Remainder remainder(ranges);
  while (!remainder.is_done()) {
    std::vector<std::string> keys;
    {
      TRY(const Gate::Visit visit, upkeep.stay());
      TRY(keys, remainder.next(visit.view().database));
    }
    TRY([[maybe_unused]] const bool is_erased, upkeep.erase(Family::kEvents, std::move(keys)));
  }
  return true;
}

}  // namespace

base::Result<uint64_t> sweep(Upkeep& upkeep, const std::vector<SequenceRange>& ranges) {
  TRY(const uint64_t bytes, drop_all_files(upkeep, ranges));
  TRY([[maybe_unused]] const bool is_deleted, delete_remainder(upkeep, ranges));
  TRY([[maybe_unused]] const bool is_over,
      upkeep.erase(Family::kMeta, {std::string(kRemovingKey)}));
  return bytes;
}

base::Result<bool> finish_removal(Upkeep& upkeep) {
  std::vector<SequenceRange> ranges;
  {
    TRY(const Gate::Visit visit, upkeep.stay());
    TRY(const std::optional<std::string> record,
        visit.view().database.get(Family::kMeta, kRemovingKey));
    if (!record) {
      return true;
    }
    TRY(ranges, decode_ranges(kRemovingKey, *record));
  }
  TRY([[maybe_unused]] const uint64_t bytes, sweep(upkeep, ranges));
  return true;
}

}  // namespace store
