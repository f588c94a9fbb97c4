#include "store/first_look.h"

#include <rocksdb/cache.h>
#include <rocksdb/db.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "store/codec.h"
#include "store/commit_mark.h"
#include "store/data_directory.h"
#include "store/database.h"
#include "store/keys.h"
#include "store/tuning.h"

namespace store {
namespace {

constexpr uint64_t kCacheBytes = 1ULL << 20U;

// The table meta alone: of the logs only its rows are kept, so that the look costs little.
class MetaTable {
 public:
  static base::Result<std::unique_ptr<MetaTable>> open(const std::string& path) {
    const DatabaseOptions options{.directory = path, .read_only = true};
    const std::vector<rocksdb::ColumnFamilyDescriptor> wanted = {
        {kFamilyNames.front(),
         family_tuning(Family::kMeta, options, rocksdb::NewLRUCache(kCacheBytes))}};
    rocksdb::DB* opened = nullptr;
    std::vector<rocksdb::ColumnFamilyHandle*> families;
    const rocksdb::Status status =
        rocksdb::DB::OpenForReadOnly(database_tuning(options), path, wanted, &families, &opened);
    if (!status.ok()) {
      return std::unexpected(error_of(status, "cannot open the database in " + path));
    }
    return std::unique_ptr<MetaTable>(
        new MetaTable(std::unique_ptr<rocksdb::DB>(opened), families.front()));
  }
  ~MetaTable() {
    const rocksdb::Status status = db_->DestroyColumnFamilyHandle(family_);
    static_cast<void>(status.ok());  // nothing was written
  }
  MetaTable(const MetaTable&) = delete;
  MetaTable& operator=(const MetaTable&) = delete;

  base::Result<std::optional<std::string>> get(std::string_view key) const {
    std::string value;
    const rocksdb::Status status = db_->Get({}, family_, {key.data(), key.size()}, &value);
    if (status.IsNotFound()) {
      return std::optional<std::string>();
    }
    if (!status.ok()) {
      return std::unexpected(error_of(status, "cannot read a record"));
    }
    return std::optional(std::move(value));
  }

 private:
  MetaTable(std::unique_ptr<rocksdb::DB> db, rocksdb::ColumnFamilyHandle* family)
      : db_(std::move(db)), family_(family) {}

  std::unique_ptr<rocksdb::DB> db_;
  rocksdb::ColumnFamilyHandle* family_;
};

// The last commit, if the version is one that we know. 0: there is none.
base::Result<uint64_t> find_last_commit(const std::string& directory) {
  const std::string path = database_path(directory);
  std::error_code error;
  if (!std::filesystem::exists(path + "/CURRENT", error)) {
    return 0;
  }
  TRY(const std::unique_ptr<MetaTable> meta, MetaTable::open(path));
  TRY(const std::optional<std::string> format, meta->get(kFormatKey));
  if (format) {
    TRY([[maybe_unused]] const bool is_known, check_format_record(*format));
  }
  TRY(const std::optional<std::string> state, meta->get(kStateKey));
  if (!state) {
    return 0;
  }
  TRY(const Standing standing, decode_standing(kStateKey, *state));
  return standing.commit;
}

}  // namespace

base::Result<bool> look_before_opening(const std::string& directory, Loss loss) {
  TRY(const uint64_t commit, find_last_commit(directory));
  TRY(const uint64_t marked, read_commit_mark(mark_path(directory)));
  const auto whole = check_commit_mark(mark_path(directory), marked, commit);
  if (!whole.has_value() && loss == Loss::kRefused) {
    return std::unexpected(whole.error());
  }
  return true;
}

}  // namespace store
