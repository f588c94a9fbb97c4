// Several texts in one piece of memory, which costs a pointer and no more than its bytes: what a
// million subscriptions keep instead of strings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/prefetch.h"

namespace match {

template <size_t kCount>
class TextBlock {
 public:
  TextBlock() = default;

  explicit TextBlock(const std::array<std::string_view, kCount>& texts) {
    Ends ends{};
    uint32_t end = sizeof(Ends);
    for (size_t index = 0; index < kCount; ++index) {
      end += static_cast<uint32_t>(texts[index].size());
      ends[index] = end;
    }
    bytes_ = std::make_unique_for_overwrite<char[]>(end);
    std::memcpy(bytes_.get(), ends.data(), sizeof ends);
    for (size_t index = 0; index < kCount; ++index) {
      texts[index].copy(bytes_.get() + begin_of(index), texts[index].size());
    }
  }

  // Not to be asked of an empty block.
  std::string_view text(size_t index) const {
    const uint32_t begin = begin_of(index);
    return {bytes_.get() + begin, end_of(index) - begin};
  }

  // Asks for the first short texts to be brought into the cache.
  void prefetch() const { base::prefetch(bytes_.get(), sizeof(Ends) + 32); }

 private:
  using Ends = std::array<uint32_t, kCount>;

  uint32_t end_of(size_t index) const {
    uint32_t end = 0;
    std::memcpy(&end, bytes_.get() + index * sizeof end, sizeof end);
    return end;
  }
  uint32_t begin_of(size_t index) const {
    return index == 0 ? static_cast<uint32_t>(sizeof(Ends)) : end_of(index - 1);
  }

  std::unique_ptr<char[]> bytes_;  // where each text ends, then the texts
};

}  // namespace match
