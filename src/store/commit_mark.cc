#include "store/commit_mark.h"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "store/fail_points.h"

namespace store {

namespace {

constexpr uint64_t kChecksumSeed = 0x706f73742e6d6172ULL;
constexpr off_t kSlotDistance = 512;  // a sector each: the unit that a disk tears or damages

struct Slot {
  uint64_t commit;
  uint64_t checksum;
};
static_assert(sizeof(Slot) == 16);
static_assert(std::endian::native == std::endian::little, "the file is little-endian");

uint64_t checksum_of(uint64_t commit) { return base::mix(kChecksumSeed, commit); }

off_t place_of(int slot) { return slot * kSlotDistance; }

std::unexpected<base::Error> io_error(const std::string& what, const std::string& path) {
  return base::fail(base::ErrorCode::kIo,
                    what + " " + path + ": " + std::generic_category().message(errno));
}

bool write_slot(int file, int slot, uint64_t commit) {
  const Slot bytes{.commit = commit, .checksum = checksum_of(commit)};
  return ::pwrite(file, &bytes, sizeof bytes, place_of(slot)) == static_cast<ssize_t>(sizeof bytes);
}

// 0 if the slot is short or damaged.
uint64_t read_slot(int file, int slot) {
  Slot bytes{};
  if (::pread(file, &bytes, sizeof bytes, place_of(slot)) != static_cast<ssize_t>(sizeof bytes)) {
    return 0;
  }
  return bytes.checksum == checksum_of(bytes.commit) ? bytes.commit : 0;
}

}  // namespace

CommitMark::CommitMark(std::string path, FileDescriptor file)
    : path_(std::move(path)), file_(std::move(file)) {
  const uint64_t first = read_slot(file_.number(), 0);
  const uint64_t second = read_slot(file_.number(), 1);
  last_ = std::max(first, second);
  next_slot_ = first > second ? 1 : 0;
}

base::Result<CommitMark> CommitMark::open(const std::string& path) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!file.is_open()) {
    return io_error("cannot open", path);
  }
  CommitMark mark(path, std::move(file));
  // Both slots get their place on the disk now, so that a full disk does not stop the mark.
  const int number = mark.file_.number();
  if (mark.last_ == 0 && !(write_slot(number, 0, 0) && write_slot(number, 1, 0))) {
    return io_error("cannot write", path);
  }
  return mark;
}

base::Result<void> CommitMark::write(uint64_t commit) {
  CHECK_GT(commit, last_);
  FAIL_POINT("mark.before_write");
  if (!write_slot(file_.number(), next_slot_, commit)) {
    return io_error("cannot write", path_);
  }
  FAIL_POINT("mark.after_write");
  last_ = commit;
  next_slot_ = 1 - next_slot_;
  return {};
}

base::Result<void> CommitMark::reset(uint64_t commit) {
  if (!write_slot(file_.number(), 0, commit) || !write_slot(file_.number(), 1, commit) ||
      ::fdatasync(file_.number()) != 0) {
    return io_error("cannot write", path_);
  }
  last_ = commit;
  return {};
}

base::Result<uint64_t> read_commit_mark(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open() && errno == ENOENT) {
    return 0;
  }
  if (!file.is_open()) {
    return io_error("cannot open", path);
  }
  return std::max(read_slot(file.number(), 0), read_slot(file.number(), 1));
}

base::Result<void> check_commit_mark(const std::string& path, uint64_t marked,
                                     uint64_t database_commit) {
  if (database_commit >= marked) {
    return {};
  }
  const uint64_t lost = marked - database_commit;
  return base::fail(base::ErrorCode::kCorrupt,
                    path + " says that commit " + std::to_string(marked) +
                        " was safely stored, but the database ends at commit " +
                        std::to_string(database_commit) + ": " + std::to_string(lost) +
                        (lost == 1 ? " commit is lost" : " commits are lost"));
}

}  // namespace store
