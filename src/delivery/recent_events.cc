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

// If no sequence is missing between two entries, it is as far behind the first as they are apart;
// otherwise it is nearer to the first, by as many as are missing.
std::shared_ptr<const model::Event> RecentEvents::find(base::Sequence sequence) const {
  if (entries_.empty() || sequence < entries_.front().sequence ||
      sequence > entries_.back().sequence) {
    return nullptr;
  }
  const auto farthest = std::min<size_t>(sequence - entries_.front().sequence, entries_.size() - 1);
  auto found = entries_.begin() + static_cast<std::ptrdiff_t>(farthest);
  if (found->sequence != sequence) {
    found = std::ranges::lower_bound(entries_.begin(), found, sequence, {}, &Entry::sequence);
  }
  return found->sequence == sequence ? found->event : nullptr;
}

}  // namespace delivery
