#include "bench/disk.h"

#include <fcntl.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <utility>

#include "base/check.h"
#include "bench/payloads.h"

namespace bench {

bool is_on_a_disk(const std::string& directory) {
  constexpr long kTmpfs = 0x01021994;
  struct statfs place{};
  return statfs(directory.c_str(), &place) == 0 && place.f_type != kTmpfs;
}

SyncedFile::SyncedFile(std::string path)
    : path_(std::move(path)),
      file_(::open(path_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_APPEND | O_CLOEXEC, 0600)) {
  CHECK_GE(file_, 0);
}

SyncedFile::~SyncedFile() {
  ::close(file_);
  ::unlink(path_.c_str());
}

double SyncedFile::append_us(size_t bytes) {
  const std::string text(bytes, 'x');
  CHECK_EQ(::write(file_, text.data(), bytes), static_cast<ssize_t>(bytes));
  const int64_t begin = nanoseconds_now();
  CHECK_EQ(::fdatasync(file_), 0);
  return static_cast<double>(nanoseconds_now() - begin) / 1e3;
}

}  // namespace bench
