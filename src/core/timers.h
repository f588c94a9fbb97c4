// One timer per owner (a shard or an endpoint), earliest first, ties by owner.
//
// A heap whose entries know their owner's position. An owner's time may be earlier than what it
// still needs: it is then woken for nothing and sets the right time. That is cheaper than moving a
// timer each time that a deadline goes away.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/check.h"
#include "base/time.h"
#include "core/slab.h"

namespace core {

class Timers {
 public:
  using Owner = uint32_t;

  // Wakes `owner` at `when` or earlier.
  void wake_by(Owner owner, base::Instant when) {
    if (owner >= positions_.size()) {
      positions_.resize(owner + 1, kNoIndex);
    }
    uint32_t position = positions_[owner];
    if (position == kNoIndex) {
      position = static_cast<uint32_t>(heap_.size());
      heap_.push_back({when, owner});
    } else if (when < heap_[position].when) {
      heap_[position].when = when;
    } else {
      return;
    }
    sift_up(position);
  }

  void cancel(Owner owner) {
    if (owner < positions_.size() && positions_[owner] != kNoIndex) {
      remove(positions_[owner]);
    }
  }

  std::optional<base::Instant> next() const {
    return heap_.empty() ? std::nullopt : std::optional(heap_.front().when);
  }

  // The earliest owner whose time has come; it has no timer afterwards.
  std::optional<Owner> pop_due(base::Instant now) {
    if (heap_.empty() || heap_.front().when > now) {
      return std::nullopt;
    }
    const Owner owner = heap_.front().owner;
    remove(0);
    return owner;
  }

  size_t size() const { return heap_.size(); }

 private:
  struct Entry {
    base::Instant when;
    Owner owner;

    bool before(const Entry& other) const {
      return when != other.when ? when < other.when : owner < other.owner;
    }
  };

  static constexpr uint32_t kArity = 4;

  void put(uint32_t position, const Entry& entry) {
    heap_[position] = entry;
    positions_[entry.owner] = position;
  }

  void sift_up(uint32_t position) {
    const Entry entry = heap_[position];
    while (position > 0) {
      const uint32_t parent = (position - 1) / kArity;
      if (!entry.before(heap_[parent])) {
        break;
      }
      put(position, heap_[parent]);
      position = parent;
    }
    put(position, entry);
  }

  void sift_down(uint32_t position) {
    const Entry entry = heap_[position];
    const auto size = static_cast<uint32_t>(heap_.size());
    for (;;) {
      const uint32_t first = position * kArity + 1;
      uint32_t best = kNoIndex;
      for (uint32_t child = first; child < first + kArity && child < size; ++child) {
        if (best == kNoIndex || heap_[child].before(heap_[best])) {
          best = child;
        }
      }
      if (best == kNoIndex || !heap_[best].before(entry)) {
        break;
      }
      put(position, heap_[best]);
      position = best;
    }
    put(position, entry);
  }

  void remove(uint32_t position) {
    CHECK_LT(position, heap_.size());
    positions_[heap_[position].owner] = kNoIndex;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (position == heap_.size()) {
      return;
    }
    put(position, last);
    sift_up(position);
    sift_down(positions_[last.owner]);
  }

  std::vector<Entry> heap_;
  std::vector<uint32_t> positions_;  // by owner; kNoIndex if it has no timer
};

}  // namespace core
