// A small disk of its own for a test, filled to the last byte and emptied at will.
//
// It is mounted in a mount namespace that ends with the process, so that nothing is left behind
// whatever happens. Needs root; without it, or without the tools, the test fails and says why.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace store {

enum class DiskKind : uint8_t {
  kTmpfs,
  kExt4,
  kXfs,
  kExt3,  // knows no fallocate
};

class SmallDisk {
 public:
  // Throws std::runtime_error if it cannot be mounted.
  SmallDisk(DiskKind kind, uint64_t mebibytes);
  ~SmallDisk();

  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  const std::filesystem::path& path() const { return mounted_; }

  // Another process's file takes every byte that is left.
  void fill() const;
  // That file goes, or shrinks by so much.
  void empty() const;
  void free_bytes(uint64_t bytes) const;

  uint64_t available_bytes() const;

 private:
  std::filesystem::path directory_;  // holds the mount point, and the image if there is one
  std::filesystem::path mounted_;
};

}  // namespace store
