// The contents of the newest events, so that a first attempt need not read from disk what came in a
// moment ago. A cache and nothing more: whoever does not find an event here asks the store.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "base/ids.h"
#include "model/event.h"

namespace delivery {

class RecentEvents {
 public:
  explicit RecentEvents(size_t bytes_max) : bytes_max_(bytes_max) {}

  // Sequences come in growing order; the oldest go when there is no more room.
  void add(base::Sequence sequence, std::shared_ptr<const model::Event> event);
  // Null if it is not here (any more).
  std::shared_ptr<const model::Event> find(base::Sequence sequence) const;

  size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    base::Sequence sequence;
    std::shared_ptr<const model::Event> event;
  };

  std::deque<Entry> entries_;  // in the order of sequences
  size_t bytes_max_;
  size_t bytes_ = 0;
};

}  // namespace delivery
