#include "store/room_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "store/fail_points.h"

namespace store {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

namespace {

constexpr uint64_t kFirstReservation = 4096;

RoomFile::WhenFull when_full_of(const std::string& path) {
  return path.ends_with("LOG") ? RoomFile::WhenFull::kDrop : RoomFile::WhenFull::kWait;
}

int fallocate_beyond_end(int file, uint64_t from, uint64_t to) {
  while (::fallocate(file, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
                     static_cast<off_t>(to - from)) != 0) {
    if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

bool is_want_of_room(int error) { return error == ENOSPC || error == EDQUOT; }

IOStatus status_of(int error, const std::string& doing, const std::string& path) {
  const std::string what = doing + " " + path;
  const std::string why = std::generic_category().message(error);
  if (error == ENOENT) {
    return IOStatus::PathNotFound(what, why);
  }
  return IOStatus::IOError(what, why);
}

void SyncLedger::add(bool succeeded, std::chrono::nanoseconds took) {
  const std::scoped_lock lock(mutex_);
  ++figures_.count;
  figures_.failed += succeeded ? 0 : 1;
  figures_.total += took;
  figures_.longest = std::max(figures_.longest, took);
}

SyncFigures SyncLedger::figures() const {
  const std::scoped_lock lock(mutex_);
  return figures_;
}

RoomFile::RoomFile(std::shared_ptr<RoomDisk> disk, std::string path, FileDescriptor file,
                   uint64_t size, const rocksdb::FileOptions& options)
    : FSWritableFile(options),
      disk_(std::move(disk)),
      path_(std::move(path)),
      file_(std::move(file)),
      size_(size),
      reserved_(size),
      when_full_(when_full_of(path_)) {}

RoomFile::~RoomFile() { give_back(); }

IOStatus RoomFile::Append(const Slice& bytes, const IOOptions& /*options*/,
                          IODebugContext* /*debug*/) {
  Rest rest{.bytes = bytes};
  if (when_full_ == WhenFull::kDrop) {
    write_on(rest);
    return IOStatus::OK();
  }
  FAIL_POINT("file.before_append");
  write_on(rest);
  if (is_want_of_room(rest.error)) {
    disk_->room.wait_until([&] {
      write_on(rest);
      return !is_want_of_room(rest.error);
    });
  }
  FAIL_POINT("file.after_append");
  return rest.error == 0 ? IOStatus::OK() : status_of(rest.error, "cannot write to", path_);
}

// Writes as much as it can.
void RoomFile::write_on(Rest& rest) {
  rest.error = reserve(size_ + rest.bytes.size());
  while (rest.error == 0 && !rest.bytes.empty()) {
    const ssize_t written = ::write(file_.number(), rest.bytes.data(), rest.bytes.size());
    if (written >= 0) {
      size_ += static_cast<uint64_t>(written);
      rest.bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      rest.error = errno;
    }
  }
}

// Makes sure of places up to `end`, and of some more if they are to be had. Returns an errno.
int RoomFile::reserve(uint64_t end) {
  if (!can_reserve_ || end <= reserved_) {
    return 0;
  }
  const uint64_t ahead = std::clamp(
      end, kFirstReservation, std::max(kFirstReservation, disk_->options.reserve_ahead_bytes));
  if (reserve_up_to(end + ahead) == 0) {
    return 0;
  }
  return reserve_up_to(end);
}

int RoomFile::reserve_up_to(uint64_t end) {
  asked_for_ = std::max(asked_for_, end);
  const int error = fallocate_beyond_end(file_.number(), reserved_, end);
  if (error == EOPNOTSUPP || error == ENOSYS) {
    // Then the write itself tells whether there is room, and goes on where it stopped.
    can_reserve_ = false;
    return 0;
  }
  if (error == 0) {
    reserved_ = end;
  }
  return error;
}

// Frees what was reserved and not written. Two calls, since which of them does it depends on the
// file system; if neither does, some places are wasted until the file is removed.
void RoomFile::give_back() {
  if (!file_.is_open() || asked_for_ <= size_) {
    return;
  }
  const auto size = static_cast<off_t>(size_);
  if (::ftruncate(file_.number(), size) == 0) {
    static_cast<void>(::fallocate(file_.number(), FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, size,
                                  static_cast<off_t>(asked_for_ - size_)));
  }
}

IOStatus RoomFile::Truncate(uint64_t size, const IOOptions& /*options*/,
                            IODebugContext* /*debug*/) {
  if (::ftruncate(file_.number(), static_cast<off_t>(size)) != 0) {
    return status_of(errno, "cannot truncate", path_);
  }
  size_ = size;
  reserved_ = size;
  return IOStatus::OK();
}

IOStatus RoomFile::Close(const IOOptions& /*options*/, IODebugContext* /*debug*/) {
  give_back();
  if (file_.is_open() && ::close(file_.release()) != 0) {
    return status_of(errno, "cannot close", path_);
  }
  return IOStatus::OK();
}

IOStatus RoomFile::Flush(const IOOptions& /*options*/, IODebugContext* /*debug*/) {
  return IOStatus::OK();
}

IOStatus RoomFile::Sync(const IOOptions& /*options*/, IODebugContext* /*debug*/) {
  return timed_sync(&::fdatasync, "cannot sync");
}

IOStatus RoomFile::Fsync(const IOOptions& /*options*/, IODebugContext* /*debug*/) {
  return timed_sync(&::fsync, "cannot sync");
}

IOStatus RoomFile::timed_sync(int (*sync)(int), const char* doing) {
  FAIL_POINT("file.before_sync");
  const auto begin = std::chrono::steady_clock::now();
  // Never repeated: after a failed sync the kernel may have thrown the bytes away, and the next one
  // would not say so.
  const int error = sync(file_.number()) == 0 ? 0 : errno;
  const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begin;
  disk_->syncs.add(error == 0, took);
  if (disk_->options.on_sync) {
    disk_->options.on_sync(took);
  }
  FAIL_POINT("file.after_sync");
  return error == 0 ? IOStatus::OK() : status_of(error, doing, path_);
}

// Asks the system to begin writing out; promises nothing.
IOStatus RoomFile::RangeSync(uint64_t offset, uint64_t bytes, const IOOptions& options,
                             IODebugContext* debug) {
  if (strict_bytes_per_sync_) {
    return Sync(options, debug);
  }
  if (::sync_file_range(file_.number(), static_cast<off_t>(offset), static_cast<off_t>(bytes),
                        SYNC_FILE_RANGE_WRITE) != 0 &&
      errno != ENOSYS) {
    return status_of(errno, "cannot sync", path_);
  }
  return IOStatus::OK();
}

IOStatus RoomFile::InvalidateCache(size_t offset, size_t length) {
  const int error = ::posix_fadvise(file_.number(), static_cast<off_t>(offset),
                                    static_cast<off_t>(length), POSIX_FADV_DONTNEED);
  return error == 0 ? IOStatus::OK() : status_of(error, "cannot advise", path_);
}

uint64_t RoomFile::GetFileSize(const IOOptions& /*options*/, IODebugContext* /*debug*/) {
  return size_;
}

void RoomFile::PrepareWrite(size_t /*offset*/, size_t /*length*/, const IOOptions& /*options*/,
                            IODebugContext* /*debug*/) {}

}  // namespace store
