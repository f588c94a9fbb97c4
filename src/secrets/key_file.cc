#include "secrets/key_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace secrets {

namespace {

constexpr size_t kFileBytesMax = size_t{64} * 1024;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }

 private:
  int number_;
};

std::unexpected<base::Error> system_error(std::string_view what, const std::string& path) {
  const int reason = errno;
  const auto code = reason == ENOENT   ? base::ErrorCode::kNotFound
                    : reason == EEXIST ? base::ErrorCode::kConflict
                                       : base::ErrorCode::kIo;
  return base::fail(
      code, fmt::format("cannot {} {}: {}", what, path, std::generic_category().message(reason)));
}

base::Result<Descriptor> open_file(const std::string& path, int flags, std::string_view what) {
  Descriptor file(::open(path.c_str(), flags | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file.number() < 0) {
    return system_error(what, path);
  }
  return file;
}

base::Result<size_t> check_private(const Descriptor& file, const std::string& path) {
  struct stat status{};
  if (::fstat(file.number(), &status) != 0) {
    return system_error("examine", path);
  }
  if (!S_ISREG(status.st_mode)) {
    return base::fail(base::ErrorCode::kInvalid, path + " is not a regular file");
  }
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return base::fail(
        base::ErrorCode::kInvalid,
        fmt::format("{} holds keys, but its mode {:04o} gives rights to others; run: chmod 600 {}",
                    path, status.st_mode & 07777U, path));
  }
  if (status.st_uid != ::geteuid() && status.st_uid != 0) {
    return base::fail(
        base::ErrorCode::kInvalid,
        fmt::format("{} belongs to user {}, who could change the keys; run: chown {} {}", path,
                    status.st_uid, ::geteuid(), path));
  }
  if (std::cmp_greater(status.st_size, kFileBytesMax)) {
    return base::fail(base::ErrorCode::kInvalid, path + " is too large for a file of keys");
  }
  return static_cast<size_t>(status.st_size);
}

base::Result<void> write_all(const Descriptor& file, const std::string& path,
                             std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file.number(), text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return system_error("write", path);
    }
    text.remove_prefix(written < 0 ? 0 : static_cast<size_t>(written));
  }
  if (::fsync(file.number()) != 0) {
    return system_error("flush", path);
  }
  return {};
}

// A new file is lost in a power failure until its folder is on the disk too.
base::Result<void> flush_folder_of(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  TRY(const Descriptor descriptor, open_file(folder, O_RDONLY | O_DIRECTORY, "open"));
  if (::fsync(descriptor.number()) != 0) {
    return system_error("flush", folder);
  }
  return {};
}

}  // namespace

base::Result<SecretBytes> read_private_file(const std::string& path) {
  // Not blocking: a FIFO in place of the file must not hold up the start.
  TRY(const Descriptor file, open_file(path, O_RDONLY | O_NONBLOCK, "open"));
  TRY(const size_t size, check_private(file, path));
  SecretBytes content(size);
  size_t filled = 0;
  while (filled < size) {
    const ssize_t count = ::read(file.number(), content.writable().data() + filled, size - filled);
    if (count < 0 && errno != EINTR) {
      return system_error("read", path);
    }
    if (count == 0) {
      break;
    }
    filled += count < 0 ? 0 : static_cast<size_t>(count);
  }
  content.shorten(filled);
  return content;
}

base::Result<void> write_private_file(const std::string& path, FileMode mode,
                                      std::string_view text) {
  const bool is_new = mode == FileMode::kCreate;
  TRY(const Descriptor file, open_file(path, O_WRONLY | (is_new ? O_CREAT | O_EXCL : O_APPEND),
                                       is_new ? "create" : "open"));
  if (auto written = write_all(file, path, text); !written.has_value()) {
    return written;
  }
  return is_new ? flush_folder_of(path) : base::Result<void>{};
}

}  // namespace secrets
