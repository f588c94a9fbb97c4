#include "store/rewrite.h"

#include "store/database.h"
#include "store/upkeep.h"

namespace store {
namespace {

base::Result<bool> checked(const rocksdb::Status& status, const char* doing) {
  if (!status.ok()) {
    return std::unexpected(error_of(status, doing));
  }
  return true;
}

base::Result<bool> flush(const Database& database) {
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  families.reserve(kFamilyCount);
  for (size_t index = 0; index < kFamilyCount; ++index) {
    families.push_back(database.family(static_cast<Family>(index)));
  }
  return checked(database.db().Flush({}, families), "cannot flush the tables");
}

base::Result<bool> rewrite_range(const Database& database, const TableRange& range,
                                 std::atomic<bool>& wants_out) {
  rocksdb::CompactRangeOptions options;
  options.exclusive_manual_compaction = false;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  options.canceled = &wants_out;
  const rocksdb::Slice from = range.from;
  const rocksdb::Slice until = range.until;
  const rocksdb::Status status = database.db().CompactRange(options, database.family(range.family),
                                                            range.from.empty() ? nullptr : &from,
                                                            range.until.empty() ? nullptr : &until);
  if (wants_out) {
    return base::fail(base::ErrorCode::kUnavailable,
                      "the store is being closed or reopened; ask again later");
  }
  return checked(status, "cannot rewrite a table");
}

// RocksDB removes files that nobody needs in its own time; this is how it is made to at once.
base::Result<bool> drop_old_files(const Database& database) {
  TRY([[maybe_unused]] const bool is_off,
      checked(database.db().DisableFileDeletions(), "cannot remove old files"));
  return checked(database.db().EnableFileDeletions(/*force=*/false), "cannot remove old files");
}

}  // namespace

base::Result<bool> rewrite(Upkeep& upkeep, const std::vector<TableRange>& ranges) {
  TRY(const Gate::Visit visit, upkeep.stay());
  const Database& database = visit.view().database;
  TRY([[maybe_unused]] const bool is_flushed, flush(database));
  for (const TableRange& range : ranges) {
    TRY([[maybe_unused]] const bool is_rewritten,
        rewrite_range(database, range, upkeep.wants_out()));
  }
  return drop_old_files(database);
}

}  // namespace store
