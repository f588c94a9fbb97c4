// Memory for secrets: pages that no core dump contains, and that are not swapped out where the
// system allows it.
//
// The ordinary heap will not do: it is dumped, and what is freed there stays readable until
// somebody else happens to write over it. Blocks come in powers of two from slabs that are never
// given back, so that a hundred thousand signing secrets do not cost a page each. Only SecretBytes
// should need this file. Safe to call from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace secrets {

class Arena {
 public:
  static Arena& instance();

  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // `size` zeroed bytes, aligned to 32. Throws std::bad_alloc as new does.
  uint8_t* allocate(size_t size);
  // Wipes first. `size` is what allocate() was asked for.
  void release(uint8_t* block, size_t size);

 private:
  static constexpr size_t kSmallestBlock = 32;
  static constexpr size_t kClassCount = 8;
  static constexpr size_t kLargestBlock = kSmallestBlock << (kClassCount - 1);
  static constexpr size_t kSlabBytes = size_t{64} * 1024;

  struct FreeBlock {
    FreeBlock* next;
  };

  Arena() = default;
  static size_t class_of(size_t size);
  void add_slab(size_t size_class);

  std::mutex mutex_;
  std::array<FreeBlock*, kClassCount> free_{};  // Wiped but for the link to the next.
};

}  // namespace secrets
