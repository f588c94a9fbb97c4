// From an id to a small index. A hash table that cannot be iterated, so that nothing can ever
// depend on the order of hashes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/check.h"
#include "base/hash.h"

namespace base {

inline constexpr uint32_t kNoIndex = UINT32_MAX;

class IdTable {
 public:
  // kNoIndex if the id is not here. Ids are never 0.
  uint32_t find(uint64_t id) const {
    if (size_ == 0) {
      return kNoIndex;
    }
    for (size_t at = home(id);; at = next(at)) {
      if (cells_[at].id == id) {
        return cells_[at].index;
      }
      if (cells_[at].id == 0) {
        return kNoIndex;
      }
    }
  }

  bool contains(uint64_t id) const { return find(id) != kNoIndex; }

  void insert(uint64_t id, uint32_t index) {
    CHECK(id != 0);
    if ((size_ + 1) * 4 > cells_.size() * 3) {
      grow();
    }
    size_ += 1;
    place(id, index);
  }

  void erase(uint64_t id) {
    CHECK(size_ > 0);
    size_t hole = home(id);
    while (cells_[hole].id != id) {
      CHECK(cells_[hole].id != 0);
      hole = next(hole);
    }
    // Closes the gap instead of leaving a tombstone, so that lookups never slow down with age.
    for (size_t at = next(hole); cells_[at].id != 0; at = next(at)) {
      const size_t distance_home = (at - home(cells_[at].id)) & mask();
      const size_t distance_hole = (at - hole) & mask();
      if (distance_home >= distance_hole) {
        cells_[hole] = cells_[at];
        hole = at;
      }
    }
    cells_[hole] = {};
    size_ -= 1;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  size_t bytes() const { return cells_.capacity() * sizeof(Cell); }

 private:
  struct Cell {
    uint64_t id = 0;
    uint32_t index = 0;
  };

  size_t mask() const { return cells_.size() - 1; }
  size_t home(uint64_t id) const { return mix(id) & mask(); }
  size_t next(size_t at) const { return (at + 1) & mask(); }

  void place(uint64_t id, uint32_t index) {
    size_t at = home(id);
    while (cells_[at].id != 0) {
      CHECK(cells_[at].id != id);
      at = next(at);
    }
    cells_[at] = {.id = id, .index = index};
  }

  void grow() {
    std::vector<Cell> old(cells_.empty() ? 16 : cells_.size() * 2);
    old.swap(cells_);
    for (const Cell& cell : old) {
      if (cell.id != 0) {
        place(cell.id, cell.index);
      }
    }
  }

  std::vector<Cell> cells_;
  size_t size_ = 0;
};

}  // namespace base
