#include "store/data_directory.h"

#include <fcntl.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "store/file_descriptor.h"

namespace store {

std::string database_path(const std::string& directory) { return directory + "/db"; }

std::string mark_path(const std::string& directory) { return directory + "/commit.mark"; }

base::Result<bool> check_unused(const std::string& directory) {
  std::error_code error;
  if (!std::filesystem::exists(database_path(directory) + "/CURRENT", error)) {
    return base::fail(base::ErrorCode::kNotFound, "there is no database in " + directory +
                                                      (error ? ": " + error.message() : ""));
  }
  const std::string lock = database_path(directory) + "/LOCK";
  const FileDescriptor file(::open(lock.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open() && errno == ENOENT) {
    return true;  // never opened since it was copied here
  }
  struct flock holder{};
  holder.l_type = F_WRLCK;
  holder.l_whence = SEEK_SET;
  if (!file.is_open() || ::fcntl(file.number(), F_GETLK, &holder) != 0) {
    return base::fail(base::ErrorCode::kIo,
                      "cannot look at " + lock + ": " + std::generic_category().message(errno));
  }
  if (holder.l_type != F_UNLCK) {
    return base::fail(base::ErrorCode::kUnavailable,
                      directory + " is in use by process " + std::to_string(holder.l_pid));
  }
  return true;
}

}  // namespace store
