// Which first attempts exist in memory only. Recovery must look again at everything from the oldest
// of them on; the mark says where that is.
//
// Sequences come in order and go in any order: a ring of counts, as long as the span between the
// oldest open sequence and the newest, which spilling keeps to seconds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "base/check.h"
#include "base/ids.h"

namespace core {

class LowWater {
 public:
  // A delivery of this sequence is in memory only. Sequences grow, except while shards are
  // acquired.
  void open(base::Sequence sequence) {
    see(sequence);
    open_[sequence - first_] += 1;
  }

  // This sequence exists; nothing of it is in memory only.
  void see(base::Sequence sequence) {
    if (open_.empty()) {
      first_ = std::max(first_, sequence);
      next_ = first_;
    }
    while (next_ <= sequence) {
      open_.push_back(0);
      next_ += 1;
    }
    while (sequence < first_) {
      open_.push_front(0);
      first_ -= 1;
    }
  }

  // It has an outcome or a record.
  void close(base::Sequence sequence) {
    CHECK_GE(sequence, first_);
    CHECK_LT(sequence, next_);
    CHECK_GT(open_[sequence - first_], 0U);
    open_[sequence - first_] -= 1;
    settle();
  }

  bool has_open() {
    settle();
    return !open_.empty();
  }

  // One above the newest sequence.
  base::Sequence next() const { return next_; }

  // Everything below is settled.
  base::Sequence mark() {
    settle();
    return first_;
  }

 private:
  void settle() {
    while (!open_.empty() && open_.front() == 0) {
      open_.pop_front();
      first_ += 1;
    }
  }

  std::deque<uint32_t> open_;  // open_[i] deliveries of sequence first_ + i are in memory only
  base::Sequence first_ = 0;
  base::Sequence next_ = 0;  // first_ + open_.size()
};

}  // namespace core
