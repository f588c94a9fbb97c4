// For tests: looks for a planted secret in all memory that this process can read.
//
// The secret must not be in memory because of the search itself. So a Plant never holds its bytes:
// it makes them one at a time, and the buffer that memory is copied through is left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/prng.h"

namespace secrets {

class Plant {
 public:
  // Seeds are kept far from those of other tests: they may leave what they drew in memory too.
  Plant(uint64_t seed, size_t size) : seed_(0x9e37'79b9'0000'0000 + seed), size_(size) {}

  size_t size() const { return size_; }
  uint8_t at(size_t index) const { return static_cast<uint8_t>(base::Prng(seed_ + index).next()); }

  void write_to(std::span<uint8_t> out) const {
    for (size_t i = 0; i < size_; ++i) {
      out[i] = at(i);
    }
  }

 private:
  uint64_t seed_;
  size_t size_;
};

struct ScanResult {
  size_t bytes_read = 0;
  size_t hits = 0;  // places where bytes [from, size) of the plant stand in memory
};

// Looks for the plant from its byte `from` on: a freed heap block has lost its first few bytes.
ScanResult scan_own_memory(const Plant& plant, size_t from = 0);

}  // namespace secrets
