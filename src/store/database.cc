#include "store/database.h"

#include <rocksdb/cache.h>

#include <utility>

#include "base/check.h"
#include "store/codec.h"
#include "store/crc32c.h"
#include "store/tuning.h"

namespace store {
namespace {

rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

}  // namespace

base::Error error_of(const rocksdb::Status& status, std::string_view doing) {
  const base::ErrorCode code =
      status.IsCorruption() ? base::ErrorCode::kCorrupt : base::ErrorCode::kIo;
  return {.code = code, .detail = std::string(doing) + ": " + status.ToString()};
}

base::Result<bool> check_format_record(std::string_view record) {
  TRY(const uint64_t version, decode_number(kFormatKey, record));
  if (version > kFormatVersion) {
    return base::fail(base::ErrorCode::kInvalid,
                      "the data directory has format version " + std::to_string(version) +
                          ", this Postrider knows versions up to " +
                          std::to_string(kFormatVersion) + "; use a newer Postrider");
  }
  return true;
}

base::Result<std::unique_ptr<Database>> Database::open(const DatabaseOptions& options) {
  CHECK(is_crc32c_sound());
  const std::shared_ptr<rocksdb::Cache> cache =
      rocksdb::NewLRUCache(options.block_cache_bytes, /*num_shard_bits=*/2);
  std::vector<rocksdb::ColumnFamilyDescriptor> wanted;
  wanted.reserve(kFamilyCount);
  for (size_t index = 0; index < kFamilyCount; ++index) {
    wanted.emplace_back(kFamilyNames[index],
                        family_tuning(static_cast<Family>(index), options, cache));
  }
  rocksdb::DB* opened = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  const rocksdb::DBOptions tuning = database_tuning(options);
  const rocksdb::Status status =
      options.read_only
          ? rocksdb::DB::OpenForReadOnly(tuning, options.directory, wanted, &families, &opened)
          : rocksdb::DB::Open(tuning, options.directory, wanted, &families, &opened);
  if (!status.ok()) {
    return std::unexpected(error_of(status, "cannot open the database in " + options.directory));
  }
  std::unique_ptr<Database> database(
      new Database(std::unique_ptr<rocksdb::DB>(opened), std::move(families)));
  TRY([[maybe_unused]] const bool is_known, database->check_format(options.read_only));
  return database;
}

Database::Database(std::unique_ptr<rocksdb::DB> db,
                   std::vector<rocksdb::ColumnFamilyHandle*> families)
    : db_(std::move(db)), families_(std::move(families)) {
  CHECK_EQ(families_.size(), kFamilyCount);
}

Database::~Database() {
  for (rocksdb::ColumnFamilyHandle* const family : families_) {
    // It only fails for the default family's handle of some versions, which has no other owner.
    const rocksdb::Status ignored = db_->DestroyColumnFamilyHandle(family);
    static_cast<void>(ignored.ok());
  }
  // What it reports here was reported to a writer before.
  const rocksdb::Status closed = db_->Close();
  static_cast<void>(closed.ok());
}

base::Result<bool> Database::check_format(bool read_only) {
  TRY(const std::optional<std::string> record, get(Family::kMeta, kFormatKey));
  if (!record) {
    if (!read_only) {
      rocksdb::WriteOptions durable;
      durable.sync = true;
      const rocksdb::Status status =
          db_->Put(durable, slice(kFormatKey), encode_number(kFormatKey, kFormatVersion));
      if (!status.ok()) {
        return std::unexpected(error_of(status, "cannot write the format version"));
      }
    }
    return true;
  }
  return check_format_record(*record);
}

base::Result<std::optional<std::string>> Database::get(Family family, std::string_view key) const {
  std::string value;
  const rocksdb::Status status = db_->Get({}, this->family(family), slice(key), &value);
  if (status.IsNotFound()) {
    return std::optional<std::string>();
  }
  if (!status.ok()) {
    return std::unexpected(error_of(status, "cannot read a record"));
  }
  return std::optional(std::move(value));
}

Scan::Scan(const Database& database, Family family, std::string_view from, std::string until,
           Length length)
    : until_(std::move(until)), until_slice_(until_) {
  rocksdb::ReadOptions options;
  options.fill_cache = length == Length::kShort;
  if (!until_.empty()) {
    options.iterate_upper_bound = &until_slice_;
  }
  it_.reset(database.db().NewIterator(options, database.family(family)));
  it_->Seek(slice(from));
}

base::Result<bool> Scan::status() const {
  const rocksdb::Status status = it_->status();
  if (!status.ok()) {
    return std::unexpected(error_of(status, "cannot read a table"));
  }
  return true;
}

}  // namespace store
