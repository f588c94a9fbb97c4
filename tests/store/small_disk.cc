#include "tests/store/small_disk.h"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "base/check.h"
#include "store/file_descriptor.h"
#include "store/free_space.h"

namespace store {

namespace {

[[noreturn]] void cannot(const std::string& what) {
  throw std::runtime_error("cannot " + what + ": " + std::generic_category().message(errno) +
                           ". This test needs root, mount namespaces and loop devices");
}

// Once per process: mounts made from now on are seen by nobody else and end with us.
void leave_shared_mounts() {
  static const bool kLeft = [] {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
      cannot("make a mount namespace");
    }
    return true;
  }();
  CHECK(kLeft);
}

void run(std::vector<std::string> words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  pid_t child = 0;
  int status = 0;
  errno = ::posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), ::environ);
  if (errno != 0 || ::waitpid(child, &status, 0) != child || status != 0) {
    cannot("run " + words.front() + " for " + words.back());
  }
}

std::string name_of(DiskKind kind) {
  switch (kind) {
    case DiskKind::kExt4:
      return "ext4";
    case DiskKind::kXfs:
      return "xfs";
    case DiskKind::kExt3:
      return "ext3";
    case DiskKind::kTmpfs:
      return "tmpfs";
  }
  CHECK(false);
}

void mount_image(DiskKind kind, const std::filesystem::path& image, uint64_t mebibytes,
                 const std::filesystem::path& target) {
  const std::string type = name_of(kind);
  run({"truncate", "-s", std::to_string(mebibytes) + "M", image});
  run({"mkfs." + type, "-q", kind == DiskKind::kXfs ? "-f" : "-F", image});
  run({"mount", "-t", type, "-o", "loop", image, target});
}

}  // namespace

SmallDisk::SmallDisk(DiskKind kind, uint64_t mebibytes) {
  leave_shared_mounts();
  std::string pattern = (std::filesystem::temp_directory_path() / "small-disk-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    cannot("make a directory");
  }
  directory_ = pattern;
  mounted_ = directory_ / "mounted";
  std::filesystem::create_directory(mounted_);
  if (kind != DiskKind::kTmpfs) {
    mount_image(kind, directory_ / "image", mebibytes, mounted_);
    return;
  }
  const std::string size = "size=" + std::to_string(mebibytes) + "m";
  if (::mount("none", mounted_.c_str(), "tmpfs", 0, size.c_str()) != 0) {
    cannot("mount a tmpfs");
  }
}

SmallDisk::~SmallDisk() {
  ::umount2(mounted_.c_str(), MNT_DETACH);
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

void SmallDisk::fill() const {
  const FileDescriptor file(
      ::open((mounted_ / "ballast").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600));
  CHECK(file.is_open());
  // The bulk without writing it, where the file system can; then byte by byte what is left.
  const auto available = static_cast<off_t>(available_bytes());
  static_cast<void>(::fallocate(file.number(), 0, 0, available - available / 16));
  const std::vector<char> zeros(1U << 20U);
  for (size_t step = zeros.size(); step > 0;) {
    if (::write(file.number(), zeros.data(), step) <= 0) {
      step /= 2;
    }
  }
}

void SmallDisk::empty() const { std::filesystem::remove(mounted_ / "ballast"); }

void SmallDisk::free_bytes(uint64_t bytes) const {
  const std::filesystem::path ballast = mounted_ / "ballast";
  std::filesystem::resize_file(ballast, std::filesystem::file_size(ballast) - bytes);
}

uint64_t SmallDisk::available_bytes() const {
  return read_disk_space(mounted_).value().available_bytes;
}

}  // namespace store
