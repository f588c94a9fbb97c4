#include "store/restore.h"

#include <filesystem>

#include "store/data_directory.h"
#include "store/file_tree.h"

namespace store {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCurrent = "CURRENT";

base::Result<bool> check_backup(const std::string& backup) {
  TRY([[maybe_unused]] const bool is_there, check_unused(backup));
  std::error_code error;
  if (!fs::exists(mark_path(backup), error)) {
    return base::fail(base::ErrorCode::kInvalid,
                      backup + " is not a backup: " + mark_path(backup) + " is missing");
  }
  return true;
}

base::Result<bool> make_empty(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  const bool is_empty = !error && fs::is_empty(directory, error);
  if (error) {
    return file_error("cannot use " + directory.string(), error);
  }
  if (!is_empty) {
    return base::fail(
        base::ErrorCode::kConflict,
        directory.string() + " is not empty; a backup is restored into a new or empty directory");
  }
  return true;
}

bool belongs_to_a_process(const std::string& name) {
  return name == "LOCK" || name.starts_with("LOG");
}

// CURRENT comes last: without it there is no database, and the mark, which came first, keeps an
// engine from beginning an empty one.
base::Result<bool> copy_database(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directory(to, error);
  for (const fs::directory_entry& entry : fs::directory_iterator(from, error)) {
    const std::string name = entry.path().filename();
    if (name != kCurrent && !belongs_to_a_process(name)) {
      TRY([[maybe_unused]] const bool is_copied, copy_one(entry.path(), to / name));
    }
  }
  if (error) {
    return file_error("cannot copy " + from.string() + " to " + to.string(), error);
  }
  TRY([[maybe_unused]] const uint64_t bytes, sync_tree(to));
  return copy_one(from / kCurrent, to / kCurrent);
}

}  // namespace

base::Result<AuditReport> restore_backup(const std::string& backup, const std::string& directory) {
  TRY([[maybe_unused]] const bool is_backup, check_backup(backup));
  TRY([[maybe_unused]] const bool is_empty, make_empty(directory));
  TRY([[maybe_unused]] const bool has_mark, copy_one(mark_path(backup), mark_path(directory)));
  TRY([[maybe_unused]] const uint64_t mark_bytes, sync_tree(directory));
  TRY([[maybe_unused]] const bool has_database,
      copy_database(database_path(backup), database_path(directory)));
  TRY([[maybe_unused]] const uint64_t bytes, sync_tree(directory));
  TRY([[maybe_unused]] const bool is_named, sync_name(directory));
  return audit_directory(directory);
}

}  // namespace store
