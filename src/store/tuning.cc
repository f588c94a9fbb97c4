#include "store/tuning.h"

#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/table_properties_collectors.h>

#include <algorithm>

#include "store/rollups.h"
#include "store/table_file_system.h"

namespace store {
namespace {

constexpr uint64_t kMiB = 1ULL << 20U;

bool is_in_commit_order(Family family) {
  return family == Family::kEvents || family == Family::kOutcomes;
}

// Index tables whose entries come and go: what was deleted must not pile up before what is next.
bool is_churning(Family family) {
  return family == Family::kDue || family == Family::kExpiry || family == Family::kLines;
}

uint64_t write_buffer_of(Family family, uint64_t large) {
  switch (family) {
    case Family::kEvents:
      return large;
    case Family::kOutcomes:
    case Family::kUnique:
    case Family::kDue:
    case Family::kExpiry:
      return large / 2;
    default:
      return std::min<uint64_t>(large, 4 * kMiB);
  }
}

// Who only reads leaves no traces in the directory.
class SilentLogger final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
};

rocksdb::BlockBasedTableOptions table_tuning(Family family,
                                             const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.block_size = 16 * 1024;
  table.format_version = 5;
  table.checksum = rocksdb::ChecksumType::kXXH3;
  // Indexes and filters count as cache, so that memory does not grow with the data.
  table.cache_index_and_filter_blocks = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  if (family == Family::kUnique || family == Family::kExpiry || family == Family::kDocuments) {
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  }
  return table;
}

}  // namespace

rocksdb::DBOptions database_tuning(const DatabaseOptions& options) {
  rocksdb::DBOptions tuning;
  tuning.create_if_missing = !options.read_only;
  tuning.create_missing_column_families = !options.read_only;
  tuning.env = options.env != nullptr ? options.env : table_env();
  if (options.read_only) {
    tuning.info_log = std::make_shared<SilentLogger>();
  }
  tuning.paranoid_checks = true;
  // A log that is missing or shorter than it was when synced is noticed; commit_mark.h covers the
  // rest of what this recovery mode would pass over in silence.
  tuning.track_and_verify_wals_in_manifest = true;
  tuning.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  // What must be replayed after a crash is bounded by this.
  tuning.max_total_wal_size = 128 * kMiB;
  tuning.max_open_files = 512;
  tuning.max_background_jobs = 2;
  tuning.bytes_per_sync = kMiB;
  // One thread writes.
  tuning.allow_concurrent_memtable_write = false;
  tuning.enable_write_thread_adaptive_yield = false;
  tuning.avoid_unnecessary_blocking_io = true;
  tuning.keep_log_file_num = 4;
  tuning.max_log_file_size = 4 * kMiB;
  tuning.stats_dump_period_sec = 0;
  tuning.stats_persist_period_sec = 0;
  tuning.skip_stats_update_on_db_open = true;
  return tuning;
}

rocksdb::ColumnFamilyOptions family_tuning(Family family, const DatabaseOptions& options,
                                           const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::ColumnFamilyOptions tuning;
  tuning.write_buffer_size = write_buffer_of(family, options.write_buffer_bytes);
  tuning.max_write_buffer_number = 3;
  // A block as large as the buffer would fill it at once.
  tuning.arena_block_size = std::min<uint64_t>(256 * 1024, tuning.write_buffer_size / 8);
  tuning.memtable_whole_key_filtering = family == Family::kUnique;
  tuning.memtable_prefix_bloom_size_ratio = family == Family::kUnique ? 0.05 : 0;
  tuning.target_file_size_base = std::max<uint64_t>(tuning.write_buffer_size, 4 * kMiB);
  tuning.compression = is_churning(family) ? rocksdb::CompressionType::kLZ4Compression
                                           : rocksdb::CompressionType::kNoCompression;
  tuning.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table_tuning(family, cache)));
  if (is_in_commit_order(family)) {
    // Files never overlap, so they sink to the last level without being rewritten; no level has to
    // hold a tenth of the next.
    tuning.memtable_insert_with_hint_prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(1));
    tuning.level_compaction_dynamic_level_bytes = false;
    tuning.max_bytes_for_level_base = 512 * kMiB;
  } else {
    tuning.level_compaction_dynamic_level_bytes = true;
  }
  if (is_churning(family)) {
    tuning.table_properties_collector_factories.push_back(
        rocksdb::NewCompactOnDeletionCollectorFactory(4096, 2048, 0.5));
  }
  if (family == Family::kRollups) {
    tuning.merge_operator = make_rollup_adder();
  }
  return tuning;
}

}  // namespace store
