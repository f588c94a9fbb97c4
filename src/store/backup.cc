#include "store/backup.h"

#include <rocksdb/utilities/checkpoint.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "store/commit_mark.h"
#include "store/data_directory.h"
#include "store/database.h"
#include "store/file_tree.h"
#include "store/tables.h"
#include "store/upkeep.h"

namespace store {
namespace {

namespace fs = std::filesystem;

base::Result<fs::path> new_path(const std::string& target) {
  std::error_code error;
  fs::path path = fs::absolute(target, error).lexically_normal();
  if (!path.has_filename()) {
    path = path.parent_path();  // it was written with a slash at its end
  }
  if (error || fs::exists(path, error)) {
    return base::fail(base::ErrorCode::kConflict,
                      target + " exists already; a backup is made in a new directory");
  }
  return path;
}

base::Result<bool> make_checkpoint(const Database& database, const std::string& path) {
  rocksdb::Checkpoint* made = nullptr;
  rocksdb::Status status = rocksdb::Checkpoint::Create(&database.db(), &made);
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  if (status.ok()) {
    status = checkpoint->CreateCheckpoint(path);
  }
  if (!status.ok()) {
    return std::unexpected(error_of(status, "cannot make a checkpoint in " + path));
  }
  return true;
}

// What is really in it, and with that the mark of its last commit.
base::Result<Standing> mark_checkpoint(const std::string& directory) {
  TRY(const std::unique_ptr<Database> database,
      Database::open({.directory = database_path(directory), .read_only = true}));
  TRY(const std::optional<Standing> standing, read_standing({.database = *database}));
  TRY(CommitMark mark, CommitMark::open(mark_path(directory)));
  const Standing found = standing.value_or(Standing{});
  if (const auto written = mark.reset(found.commit); !written.has_value()) {
    return std::unexpected(written.error());
  }
  return found;
}

}  // namespace

base::Result<BackupResult> back_up(Upkeep& upkeep, const std::string& target) {
  TRY(const fs::path path, new_path(target));
  TRY(PartialDirectory partial, PartialDirectory::make(path.string() + ".partial"));
  {
    TRY(const Gate::Visit visit, upkeep.stay());
    TRY([[maybe_unused]] const bool is_copied,
        make_checkpoint(visit.view().database, database_path(partial.path())));
  }
  TRY(const Standing standing, mark_checkpoint(partial.path()));
  TRY(const uint64_t bytes, sync_tree(partial.path()));
  TRY([[maybe_unused]] const bool is_complete, partial.complete(path));
  return BackupResult{.commit = standing.commit,
                      .events = standing.totals.events,
                      .unfinished = standing.totals.unfinished(),
                      .bytes = bytes};
}

}  // namespace store
