#include "store/retention_cut.h"

#include <rocksdb/metadata.h>

#include <algorithm>
#include <string>

#include "store/codec.h"
#include "store/event_walk.h"
#include "store/keys.h"

namespace store {
namespace {

using base::Sequence;

constexpr int64_t kMinuteMs = 60'000;
constexpr base::Duration kKeptAlways = base::Duration::hours(24);
constexpr int64_t kLateMinutesMax = int64_t{24} * 60;
constexpr uint64_t kExcessPartMax = 8;  // of the bytes allowed, as a divisor

// Every minute with a commit has a row: what is below the first row that is young enough is older.
Sequence cut_by_age(const std::vector<Minute>& minutes, base::Instant before) {
  const auto young =
      std::ranges::lower_bound(minutes, before.ms() / kMinuteMs, {}, &Minute::minute);
  return young == minutes.end() ? kAllSequences : young->sequence;
}

// The earliest minute from which on everything takes no more than the limit; at least the last
// minute stays.
Sequence cut_by_bytes(const Database& database, const std::vector<Minute>& minutes,
                      uint64_t bytes_max) {
  const auto takes_too_much = [&](Sequence from) {
    return approximate_bytes(database, {.from = from, .until = kAllSequences}) > bytes_max;
  };
  if (minutes.empty() || !takes_too_much(0)) {
    return 0;
  }
  const auto fits = std::ranges::partition_point(
      minutes, [&](const Minute& minute) { return takes_too_much(minute.sequence); });
  return fits == minutes.end() ? minutes.back().sequence : fits->sequence;
}

struct TableFile {
  int level = 0;
  std::string smallest;
  std::string largest;
};

std::vector<TableFile> files_of(const Database& database, Family family) {
  rocksdb::ColumnFamilyMetaData table;
  database.db().GetColumnFamilyMetaData(database.family(family), &table);
  std::vector<TableFile> files;
  for (const rocksdb::LevelMetaData& level : table.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      files.push_back({level.level, file.smallestkey, file.largestkey});
    }
  }
  return files;
}

// Files of the first level are never dropped.
bool would_stay(const TableFile& file, const std::string& cut) {
  return file.smallest < cut && (file.level == 0 || file.largest >= cut);
}

// The greatest cut that is not above this one and leaves no file of events half alive.
Sequence at_file_border(const Database& database, Sequence cut) {
  const std::vector<TableFile> files = files_of(database, Family::kEvents);
  while (true) {
    const std::string key = sequence_key(cut);
    const auto halved =
        std::ranges::find_if(files, [&](const TableFile& file) { return would_stay(file, key); });
    if (halved == files.end()) {
      return cut;
    }
    cut = sequence_of(halved->smallest);
  }
}

bool is_little_older(const std::vector<Minute>& minutes, Sequence cut, base::Instant before) {
  const auto later = std::ranges::upper_bound(minutes, cut, {}, &Minute::sequence);
  return later != minutes.begin() &&
         std::prev(later)->minute >= before.ms() / kMinuteMs - kLateMinutesMax;
}

}  // namespace

base::Result<std::vector<Minute>> read_minutes(const Database& database) {
  std::vector<Minute> minutes;
  Scan scan(database, Family::kMeta, kMinutePrefix, after_prefix(std::string(kMinutePrefix)));
  for (; scan.is_valid(); scan.next()) {
    TRY(const uint64_t sequence, decode_number(scan.key(), scan.value()));
    minutes.push_back({.minute = minute_of(scan.key()), .sequence = sequence});
  }
  TRY([[maybe_unused]] const bool is_read, scan.status());
  return minutes;
}

uint64_t approximate_bytes(const Database& database, const SequenceRange& range) {
  rocksdb::SizeApproximationOptions options;
  options.include_memtables = true;
  uint64_t total = 0;
  for (const Family family : {Family::kEvents, Family::kOutcomes}) {
    const KeyRange keys = key_range(family, range);
    const rocksdb::Range bounds(keys.from, keys.until);
    uint64_t bytes = 0;
    // An estimate that is not to be had counts as nothing; the next run has another.
    const rocksdb::Status status =
        database.db().GetApproximateSizes(options, database.family(family), &bounds, 1, &bytes);
    total += status.ok() ? bytes : 0;
  }
  return total;
}

base::Result<Sequence> find_cut(const Database& database, const RetentionLimits& limits,
                                const Standing& standing) {
  TRY(const std::vector<Minute> minutes, read_minutes(database));
  const Sequence cut_max =
      std::min(cut_by_age(minutes, standing.last_committed - kKeptAlways), standing.low_water);
  Sequence result = 0;
  if (limits.before.is_set()) {
    const Sequence cut = std::min(cut_by_age(minutes, limits.before), cut_max);
    const Sequence border = at_file_border(database, cut);
    result = is_little_older(minutes, border, limits.before) ? border : cut;
  }
  if (limits.bytes_max != 0) {
    const Sequence cut = std::min(cut_by_bytes(database, minutes, limits.bytes_max), cut_max);
    const Sequence border = at_file_border(database, cut);
    const uint64_t excess = approximate_bytes(database, {.from = border, .until = cut});
    result = std::max(result, excess <= limits.bytes_max / kExcessPartMax ? border : cut);
  }
  return result;
}

}  // namespace store
