// Objects in chunks: addresses never move, an object is named by a small index, and freed ones are
// reused in a fixed order. The index costs 4 bytes where a pointer costs 8, and sorts the same way
// on every run.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/check.h"
#include "base/id_table.h"

namespace core {

using base::kNoIndex;

template <class T>
class Slab {
 public:
  // The object is as its last user left it; whoever allocates resets what matters.
  uint32_t allocate() {
    live_ += 1;
    if (!free_.empty()) {
      const uint32_t index = free_.back();
      free_.pop_back();
      return index;
    }
    const uint32_t index = size_++;
    if (index / kChunk == chunks_.size()) {
      chunks_.push_back(std::make_unique<std::array<T, kChunk>>());
    }
    return index;
  }

  void release(uint32_t index) {
    CHECK_LT(index, size_);
    CHECK_GT(live_, 0U);
    live_ -= 1;
    free_.push_back(index);
  }

  T& operator[](uint32_t index) { return (*chunks_[index / kChunk])[index % kChunk]; }
  const T& operator[](uint32_t index) const { return (*chunks_[index / kChunk])[index % kChunk]; }

  uint32_t live() const { return live_; }
  uint32_t size() const { return size_; }

 private:
  static constexpr uint32_t kChunk = 256;

  std::vector<std::unique_ptr<std::array<T, kChunk>>> chunks_;
  std::vector<uint32_t> free_;
  uint32_t size_ = 0;
  uint32_t live_ = 0;
};

}  // namespace core
