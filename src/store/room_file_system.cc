#include "store/room_file_system.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "store/fail_points.h"

namespace store {

using rocksdb::FileOptions;
using rocksdb::FSWritableFile;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

namespace {

constexpr mode_t kFileMode = 0644;

}  // namespace

RoomFileSystem::RoomFileSystem(RoomOptions options)
    : disk_(std::make_shared<RoomDisk>(std::move(options))) {}

IOStatus RoomFileSystem::with_room(const std::function<IOStatus()>& operation) {
  IOStatus status = operation();
  if (!status.IsNoSpace()) {
    return status;
  }
  disk_->room.wait_until([&] {
    status = operation();
    return !status.IsNoSpace();
  });
  // Stopped: as any other error, because RocksDB would try to recover from want of space by itself.
  return status.IsNoSpace() ? IOStatus::IOError(status.ToString()) : status;
}

IOStatus RoomFileSystem::open(const std::string& path, int flags, const FileOptions& options,
                              std::unique_ptr<FSWritableFile>* result) {
  result->reset();
  if (options.use_direct_writes || options.use_mmap_writes) {
    return IOStatus::NotSupported("direct and memory-mapped writes do not wait for room", path);
  }
  FileDescriptor file;
  int error = 0;
  const auto try_open = [&] {
    file = FileDescriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, kFileMode));
    error = file.is_open() ? 0 : errno;
    return !is_want_of_room(error);
  };
  if (!try_open()) {
    disk_->room.wait_until(try_open);
  }
  struct stat found{};
  if (error == 0 && ::fstat(file.number(), &found) != 0) {
    error = errno;
  }
  if (error != 0) {
    return status_of(error, "cannot open", path);
  }
  const bool appends = (flags & O_APPEND) != 0;
  const uint64_t size = appends ? static_cast<uint64_t>(found.st_size) : 0;
  *result = std::make_unique<RoomFile>(disk_, path, std::move(file), size, options);
  return IOStatus::OK();
}

IOStatus RoomFileSystem::NewWritableFile(const std::string& path, const FileOptions& options,
                                         std::unique_ptr<FSWritableFile>* result,
                                         IODebugContext* /*debug*/) {
  FAIL_POINT("file.before_create");
  const IOStatus status = open(path, O_TRUNC, options, result);
  FAIL_POINT("file.after_create");
  return status;
}

IOStatus RoomFileSystem::ReopenWritableFile(const std::string& path, const FileOptions& options,
                                            std::unique_ptr<FSWritableFile>* result,
                                            IODebugContext* /*debug*/) {
  return open(path, O_APPEND, options, result);
}

IOStatus RoomFileSystem::ReuseWritableFile(const std::string& path, const std::string& old_path,
                                           const FileOptions& options,
                                           std::unique_ptr<FSWritableFile>* result,
                                           IODebugContext* debug) {
  const IOStatus status = RenameFile(old_path, path, options.io_options, debug);
  return status.ok() ? open(path, 0, options, result) : status;
}

// What RocksDB does when nobody wraps it; the wrapper would take a file of its target.
IOStatus RoomFileSystem::NewLogger(const std::string& path, const IOOptions& options,
                                   std::shared_ptr<rocksdb::Logger>* result,
                                   IODebugContext* debug) {
  rocksdb::FileSystem& self = *this;
  return self.FileSystem::NewLogger(path, options, result, debug);
}

IOStatus RoomFileSystem::CreateDir(const std::string& path, const IOOptions& options,
                                   IODebugContext* debug) {
  return with_room([&] { return target()->CreateDir(path, options, debug); });
}

IOStatus RoomFileSystem::CreateDirIfMissing(const std::string& path, const IOOptions& options,
                                            IODebugContext* debug) {
  return with_room([&] { return target()->CreateDirIfMissing(path, options, debug); });
}

IOStatus RoomFileSystem::RenameFile(const std::string& from, const std::string& to,
                                    const IOOptions& options, IODebugContext* debug) {
  FAIL_POINT("file.before_rename");
  const IOStatus status = with_room([&] { return target()->RenameFile(from, to, options, debug); });
  FAIL_POINT("file.after_rename");
  return status;
}

IOStatus RoomFileSystem::LinkFile(const std::string& from, const std::string& to,
                                  const IOOptions& options, IODebugContext* debug) {
  return with_room([&] { return target()->LinkFile(from, to, options, debug); });
}

IOStatus RoomFileSystem::DeleteFile(const std::string& path, const IOOptions& options,
                                    IODebugContext* debug) {
  FAIL_POINT("file.before_remove");
  const IOStatus status = target()->DeleteFile(path, options, debug);
  FAIL_POINT("file.after_remove");
  return status;
}

}  // namespace store
