// A hash table from 64-bit keys to small values, in one piece of memory, so that a lookup costs one
// cache miss. Linear probing, at most three quarters full; removal shifts back, so that there are
// no tombstones and lookups never slow down with age.
//
// It cannot be iterated, so that nothing can ever depend on the order of hashes. The key 0 is never
// in it. References are valid until the next insertion or removal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "base/prefetch.h"

namespace base {

// Where a key has its place. By hash, which suits any keys. Or by its low bits, for ids that we
// give out ourselves and whose low bits count: those that are in use now are then side by side,
// and in the cache, however many others have been here for long.
enum class Placing : uint8_t { kByHash, kByLowBits };

template <class Value, Placing kPlacing = Placing::kByHash>
class FlatTable {
 public:
  size_t size() const { return size_; }
  size_t bytes() const { return capacity_ * sizeof(Entry); }

  // Asks for the first entries, all of a small table, to be brought into the cache.
  void prefetch() const { base::prefetch(entries_.get(), std::min(bytes(), kPrefetchedBytes)); }

  // Asks for the entry of this key, which will soon be looked for.
  void prefetch(uint64_t key) const {
    if (capacity_ > 0) {
      base::prefetch(&entries_[home_of(key)], sizeof(Entry));
    }
  }

  const Value* find(uint64_t key) const {
    if (size_ == 0 || key == 0) {
      return nullptr;
    }
    const Entry& entry = entries_[place_of(key)];
    return entry.key == key ? &entry.value : nullptr;
  }
  Value* find(uint64_t key) { return const_cast<Value*>(std::as_const(*this).find(key)); }

  // The value of the key, made if there is none.
  Value& at(uint64_t key) {
    CHECK(key != 0);
    if ((size_ + 1) * 4 > size_t{capacity_} * 3) {
      grow();
    }
    Entry& entry = entries_[place_of(key)];
    if (entry.key != key) {
      entry.key = key;
      ++size_;
    }
    return entry.value;
  }

  // The value of the key, which is then no longer here; an empty one if it was not.
  Value take(uint64_t key) {
    Value* const found = find(key);
    if (found == nullptr) {
      return Value();
    }
    Value value = std::move(*found);
    erase(key);
    return value;
  }

  bool erase(uint64_t key) {
    if (size_ == 0 || key == 0) {
      return false;
    }
    size_t hole = place_of(key);
    if (entries_[hole].key != key) {
      return false;
    }
    // Whatever was pushed on by the entry that goes moves up, so that no probe stops too early.
    for (size_t at = next(hole); entries_[at].key != 0; at = next(at)) {
      const size_t home = home_of(entries_[at].key);
      const size_t from_home = (at - home) & (capacity_ - 1);
      const size_t from_hole = (at - hole) & (capacity_ - 1);
      if (from_home >= from_hole) {
        entries_[hole] = std::move(entries_[at]);
        hole = at;
      }
    }
    entries_[hole] = Entry();
    --size_;
    return true;
  }

 private:
  struct Entry {
    uint64_t key = 0;  // 0: empty
    Value value{};
  };

  static constexpr uint32_t kCapacityMin = 4;
  static constexpr size_t kPrefetchedBytes = 128;

  size_t home_of(uint64_t key) const {
    return (kPlacing == Placing::kByHash ? mix(key) : key) & (capacity_ - 1);
  }
  size_t next(size_t place) const { return (place + 1) & (capacity_ - 1); }

  // Where the key is, or would be put.
  size_t place_of(uint64_t key) const {
    size_t place = home_of(key);
    while (entries_[place].key != 0 && entries_[place].key != key) {
      place = next(place);
    }
    return place;
  }

  void grow() {
    const std::unique_ptr<Entry[]> old = std::move(entries_);
    const uint32_t old_capacity = capacity_;
    capacity_ = old_capacity == 0 ? kCapacityMin : old_capacity * 2;
    entries_ = std::make_unique<Entry[]>(capacity_);
    for (uint32_t place = 0; place < old_capacity; ++place) {
      if (old[place].key != 0) {
        entries_[place_of(old[place].key)] = std::move(old[place]);
      }
    }
  }

  std::unique_ptr<Entry[]> entries_;
  uint32_t capacity_ = 0;  // a power of two
  uint32_t size_ = 0;
};

}  // namespace base
