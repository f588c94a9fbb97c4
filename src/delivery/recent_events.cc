#include "delivery/recent_events.h"

#include <algorithm>
#include <utility>

namespace delivery {
namespace {

size_t cost_of(const model::Event& event) { return sizeof(event) + event.payload.capacity(); }

}  // namespace

void RecentEvents::add(base::Sequence sequence, std::shared_ptr<const model::Event> event) {
  if (event == nullptr || (!entries_.empty() && entries_.back().sequence >= sequence)) {
    return;
  }
  bytes_ += cost_of(*event);
  entries_.push_back({sequence, std::move(event)});
  while (bytes_ > bytes_max_) {
    bytes_ -= cost_of(*entries_.front().event);
    entries_.pop_front();
  }
}

std::shared_ptr<const model::Event> RecentEvents::find(base::Sequence sequence) const {
  const auto found = std::ranges::lower_bound(entries_, sequence, {}, &Entry::sequence);
  return found != entries_.end() && found->sequence == sequence ? found->event : nullptr;
}

}  // namespace delivery
