// An open RocksDB with our tables. Knows how it is tuned and nothing of what the records mean.
//
// Not safe against a close while somebody reads: the engine's gate sees to that.
#pragma once

#include <rocksdb/db.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/keys.h"

namespace store {

// The version of the whole layout; records have versions of their own (codec.h).
inline constexpr uint64_t kFormatVersion = 1;

struct DatabaseOptions {
  std::string directory;
  bool read_only = false;
  uint64_t block_cache_bytes = 64ULL << 20U;
  uint64_t write_buffer_bytes = 32ULL << 20U;
  rocksdb::Env* env = nullptr;  // table_env() if there is none
};

// What RocksDB says, in our words.
base::Error error_of(const rocksdb::Status& status, std::string_view doing);

// kInvalid: the record of the format version names one that is not known yet.
base::Result<bool> check_format_record(std::string_view record);

class Database {
 public:
  // Creates the database if there is none. kCorrupt: files are damaged or missing. kInvalid: it was
  // written by a newer Postrider.
  static base::Result<std::unique_ptr<Database>> open(const DatabaseOptions& options);
  ~Database();

  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  rocksdb::DB& db() const { return *db_; }
  rocksdb::ColumnFamilyHandle* family(Family family) const {
    return families_[static_cast<size_t>(family)];
  }

  // Nothing if there is no such record.
  base::Result<std::optional<std::string>> get(Family family, std::string_view key) const;

 private:
  explicit Database(std::unique_ptr<rocksdb::DB> db,
                    std::vector<rocksdb::ColumnFamilyHandle*> families);
  base::Result<bool> check_format(bool read_only);

  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
};

// One pass over the keys of a table from `from` up to, but without, `until`. It shows what was
// there when it was made, whatever is written meanwhile.
class Scan {
 public:
  // Long ones leave the cache to those who read what is used often.
  enum class Length : uint8_t { kShort, kLong };

  Scan(const Database& database, Family family, std::string_view from, std::string until,
       Length length = Length::kShort);

  bool is_valid() const { return it_->Valid(); }
  std::string_view key() const { return it_->key().ToStringView(); }
  std::string_view value() const { return it_->value().ToStringView(); }
  void next() { it_->Next(); }
  // Only in scans whose beginning is the table's: there is no bound on this side.
  void prev() { it_->Prev(); }
  void seek(std::string_view key) { it_->Seek({key.data(), key.size()}); }
  void seek_for_prev(std::string_view key) { it_->SeekForPrev({key.data(), key.size()}); }
  // After the end: whether it was reached, or a block could not be read.
  base::Result<bool> status() const;

 private:
  std::string until_;
  rocksdb::Slice until_slice_;
  std::unique_ptr<rocksdb::Iterator> it_;
};

}  // namespace store
