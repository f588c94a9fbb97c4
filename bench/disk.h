// The disk that a benchmark works on: whether it is one, and how long it takes to make bytes safe.
#pragma once

#include <cstddef>
#include <string>

namespace bench {

// False on tmpfs, where a sync costs nothing.
bool is_on_a_disk(const std::string& directory);

// A file that is appended to and synced: nothing durable can take less time.
class SyncedFile {
 public:
  // Makes it, or ends the program. It is gone with this object.
  explicit SyncedFile(std::string path);
  ~SyncedFile();
  SyncedFile(const SyncedFile&) = delete;
  SyncedFile& operator=(const SyncedFile&) = delete;

  // How long fdatasync takes after so many bytes were appended.
  double append_us(size_t bytes);

 private:
  std::string path_;
  int file_;
};

}  // namespace bench
