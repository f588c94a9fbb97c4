// From an id to a small index; what it is made of is in flat_table.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "base/flat_table.h"

namespace base {

inline constexpr uint32_t kNoIndex = UINT32_MAX;

class IdTable {
 public:
  // kNoIndex if the id is not here. Ids are never 0.
  uint32_t find(uint64_t id) const {
    const uint32_t* index = table_.find(id);
    return index == nullptr ? kNoIndex : *index;
  }

  void prefetch(uint64_t id) const { table_.prefetch(id); }

  bool contains(uint64_t id) const { return find(id) != kNoIndex; }

  // The id must not be here.
  void insert(uint64_t id, uint32_t index) {
    CHECK(id != 0);
    const size_t before = table_.size();
    table_.at(id) = index;
    CHECK_GT(table_.size(), before);
  }

  // The id must be here.
  void erase(uint64_t id) { CHECK(table_.erase(id)); }

  size_t size() const { return table_.size(); }
  bool empty() const { return size() == 0; }
  size_t bytes() const { return table_.bytes(); }

 private:
  FlatTable<uint32_t> table_;
};

}  // namespace base
