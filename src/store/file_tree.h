// Directories of files that must survive a power cut: copied, synced, and shown under their name
// only when they are complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/result.h"

namespace store {

std::unexpected<base::Error> file_error(const std::string& doing, const std::error_code& error);

// Syncs everything below a directory, and the directory. How many bytes the files have.
base::Result<uint64_t> sync_tree(const std::filesystem::path& directory);

// Syncs the directory that names this path.
base::Result<bool> sync_name(const std::filesystem::path& path);

// The target must not be there. Not synced.
base::Result<bool> copy_one(const std::filesystem::path& from, const std::filesystem::path& to);

// A directory that goes again, with all that is in it, unless it is completed.
class PartialDirectory {
 public:
  // kConflict: something of that name is there already.
  static base::Result<PartialDirectory> make(std::filesystem::path path);
  ~PartialDirectory();
  PartialDirectory(PartialDirectory&& other) noexcept;
  PartialDirectory& operator=(PartialDirectory&&) = delete;
  PartialDirectory(const PartialDirectory&) = delete;
  PartialDirectory& operator=(const PartialDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Gives it its name, for good.
  base::Result<bool> complete(const std::filesystem::path& target);

 private:
  explicit PartialDirectory(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;  // empty: it is not ours any more
};

}  // namespace store
