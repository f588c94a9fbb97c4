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
#include "store/logged_commits.h"
#include "store/tuning.h"

namespace store {
namespace {

constexpr uint64_t kCacheBytes = 1ULL << 20U;

// The table meta alone, so that the look costs little. The logs are read by `logged`, and not
// applied.
class MetaTable {
 public:
  static base::Result<std::unique_ptr<MetaTable>> open(const std::string& path,
                                                       LoggedCommits& logged) {
    const DatabaseOptions options{.directory = path, .read_only = true};
    const std::vector<rocksdb::ColumnFamilyDescriptor> wanted = {
        {kFamilyNames.front(),
         family_tuning(Family::kMeta, options, rocksdb::NewLRUCache(kCacheBytes))}};
    rocksdb::DBOptions tuning = database_tuning(options);
    tuning.wal_filter = &logged;
    rocksdb::DB* opened = nullptr;
    std::vector<rocksdb::ColumnFamilyHandle*> families;
    const rocksdb::Status status =
        rocksdb::DB::OpenForReadOnly(tuning, path, wanted, &families, &opened);
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

struct Found {
  uint64_t in_tables = 0;  // the last commit there
  LoggedCommits logged;
};

// No commits if there is no database. The version is one that we know.
base::Result<std::unique_ptr<Found>> look_into(const std::string& directory) {
  auto found = std::make_unique<Found>();
  const std::string path = database_path(directory);
  std::error_code error;
  if (!std::filesystem::exists(path + "/CURRENT", error)) {
    return found;
  }
  TRY(const std::unique_ptr<MetaTable> meta, MetaTable::open(path, found->logged));
  TRY(std::optional<std::string> format, meta->get(kFormatKey));
  if (found->logged.format()) {
    format = found->logged.format();
  }
  if (format) {
    TRY([[maybe_unused]] const bool is_known, check_format_record(*format));
  }
  TRY(const std::optional<std::string> state, meta->get(kStateKey));
  if (state) {
    TRY(const Standing standing, decode_standing(kStateKey, *state));
    found->in_tables = standing.commit;
  }
  return found;
}

base::Result<bool> check_nothing_is_lost(const std::string& directory, const Found& found) {
  TRY(const uint64_t commit, found.logged.last_after(found.in_tables));
  TRY(const uint64_t marked, read_commit_mark(mark_path(directory)));
  const auto whole = check_commit_mark(mark_path(directory), marked, commit);
  return whole.has_value() ? base::Result<bool>(true) : std::unexpected(whole.error());
}

}  // namespace

base::Result<bool> look_before_opening(const std::string& directory, Loss loss) {
  TRY(const std::unique_ptr<Found> found, look_into(directory));
  return loss == Loss::kAccepted ? base::Result<bool>(true)
                                 : check_nothing_is_lost(directory, *found);
}

}  // namespace store
