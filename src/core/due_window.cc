#include "core/due_window.h"

#include <algorithm>

#include "base/check.h"

namespace core {

using model::Delivery;
using model::DueKey;

void DueWindow::reset_empty() {
  reset_unknown({});
  complete_ = true;
}

void DueWindow::reset_unknown(DueKey from) {
  entries_.clear();
  end_ = from;
  complete_ = false;
  abandon_load();
}

void DueWindow::insert(const Delivery& delivery) {
  const auto later = [](const Delivery& entry, const DueKey& key) { return entry.key() > key; };
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), delivery.key(), later);
  CHECK(at == entries_.end() || at->key() != delivery.key());
  entries_.insert(at, delivery);
}

void DueWindow::add(const Delivery& delivery, uint32_t capacity) {
  const DueKey key = delivery.key();
  if (key < end_ || complete_) {
    insert(delivery);
    trim(capacity);
    return;
  }
  if (is_loading() && (!has_added_ || key < added_)) {
    has_added_ = true;
    added_ = key;
  }
}

void DueWindow::remove(DueKey key) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Delivery& entry) { return entry.key() == key; });
  if (found != entries_.end()) {
    entries_.erase(found);
  }
}

void DueWindow::gone(DueKey key) {
  if (is_loading() && key >= end_) {
    stale_ = true;
  }
}

Delivery DueWindow::take_head() {
  CHECK(!entries_.empty());
  const Delivery head = entries_.back();
  entries_.pop_back();
  return head;
}

void DueWindow::trim(uint32_t capacity) {
  if (entries_.size() <= capacity) {
    return;
  }
  const auto excess = static_cast<std::ptrdiff_t>(entries_.size() - capacity);
  end_ = entries_[static_cast<size_t>(excess) - 1].key();
  entries_.erase(entries_.begin(), entries_.begin() + excess);
  complete_ = false;
  abandon_load();
}

bool DueWindow::wants_load(base::Instant now, uint32_t capacity) const {
  return !complete_ && !is_loading() && end_.due <= now && entries_.size() * 4 <= capacity &&
         entries_.size() < capacity;
}

DueKey DueWindow::begin_load(LoadId load) {
  CHECK(!is_loading());
  load_ = load;
  stale_ = false;
  has_added_ = false;
  return end_;
}

base::Instant DueWindow::next_due() const {
  if (!entries_.empty()) {
    return entries_.back().due;
  }
  return complete_ ? base::Instant::never() : end_.due;
}

}  // namespace core
