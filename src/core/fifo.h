// A list that is taken from at its front: one piece of memory, and no cost for those behind.
//
// Taken ones leave a gap, which goes when it is as long as what is left; so each element is moved
// at most once.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/check.h"

namespace core {

template <class T>
class Fifo {
 public:
  auto begin() { return items_.begin() + gap_; }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin() + gap_; }
  auto end() const { return items_.end(); }

  size_t size() const { return items_.size() - static_cast<size_t>(gap_); }
  bool empty() const { return size() == 0; }
  T& front() { return *begin(); }
  const T& front() const { return *begin(); }

  void insert(typename std::vector<T>::iterator place, T item) {
    items_.insert(place, std::move(item));
  }
  void erase(typename std::vector<T>::iterator place) { items_.erase(place); }
  void pop_front() {
    CHECK(!empty());
    gap_ += 1;
    if (static_cast<size_t>(gap_) >= size()) {
      items_.erase(items_.begin(), begin());
      gap_ = 0;
    }
  }
  void clear() {
    items_.clear();
    gap_ = 0;
  }

 private:
  std::vector<T> items_;
  std::ptrdiff_t gap_ = 0;
};

}  // namespace core
