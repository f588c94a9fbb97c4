#include "store/file_tree.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "store/file_descriptor.h"

namespace store {
namespace {

namespace fs = std::filesystem;

using base::ErrorCode;

base::Result<bool> sync_path(const fs::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open() || ::fsync(file.number()) != 0) {
    return file_error("cannot sync " + path.string(), {errno, std::generic_category()});
  }
  return true;
}

}  // namespace

std::unexpected<base::Error> file_error(const std::string& doing, const std::error_code& error) {
  return base::fail(ErrorCode::kIo, doing + ": " + error.message());
}

// Files before the directories that name them.
base::Result<uint64_t> sync_tree(const fs::path& directory) {
  uint64_t bytes = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    if (entry.is_directory()) {
      TRY(const uint64_t below, sync_tree(entry.path()));
      bytes += below;
    } else {
      TRY([[maybe_unused]] const bool is_synced, sync_path(entry.path()));
      bytes += entry.file_size(error);
    }
  }
  if (error) {
    return file_error("cannot list " + directory.string(), error);
  }
  TRY([[maybe_unused]] const bool is_synced, sync_path(directory));
  return bytes;
}

base::Result<bool> sync_name(const fs::path& path) {
  const fs::path parent = path.parent_path();
  return sync_path(parent.empty() ? fs::path(".") : parent);
}

base::Result<bool> copy_one(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::copy_file(from, to, error);
  if (error) {
    return file_error("cannot copy " + from.string() + " to " + to.string(), error);
  }
  return true;
}

base::Result<PartialDirectory> PartialDirectory::make(fs::path path) {
  std::error_code error;
  const bool is_made = fs::create_directory(path, error);
  if (error) {
    return file_error("cannot create " + path.string(), error);
  }
  if (!is_made) {
    return base::fail(ErrorCode::kConflict,
                      path.string() +
                          " exists already; if it was left by an attempt that was "
                          "interrupted, remove it");
  }
  return PartialDirectory(std::move(path));
}

PartialDirectory::PartialDirectory(PartialDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

PartialDirectory::~PartialDirectory() {
  if (!path_.empty()) {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
}

base::Result<bool> PartialDirectory::complete(const fs::path& target) {
  std::error_code error;
  fs::rename(path_, target, error);
  if (error) {
    return file_error("cannot create " + target.string(), error);
  }
  path_.clear();
  return sync_name(target);
}

}  // namespace store
