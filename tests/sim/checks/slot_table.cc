#include "tests/sim/checks/slot_table.h"

#include <algorithm>

namespace checks {
namespace {

constexpr int kRetriesFromQueueing = 11;
constexpr int kRetriesFromAttempts = 10;
// A doubling that would leave the calendar stops here; a thousand years are "never" to a test.
constexpr base::Duration kLongest = base::Duration::hours(24 * 365 * 1000);

bool is_from_queueing(const model::RetryPolicy& policy) {
  return policy.anchor == model::RetryAnchor::kQueued;
}

}  // namespace

int SlotTable::retries() const {
  const bool is_custom = !policy_.delays.empty();
  const int published = is_from_queueing(policy_) ? kRetriesFromQueueing : kRetriesFromAttempts;
  const int listed = is_custom ? static_cast<int>(policy_.delays.size()) : published;
  if (policy_.max_retries == model::RetryPolicy::kRetriesOfAnchor) {
    return listed;
  }
  return is_custom ? std::min(listed, policy_.max_retries) : policy_.max_retries;
}

base::Duration SlotTable::delay(int n) const {
  if (n <= 0) {
    return {};
  }
  if (!policy_.delays.empty()) {
    return policy_.delays[static_cast<size_t>(n) - 1];
  }
  base::Duration sum;
  base::Duration step = policy_.unit;
  for (int i = 0; i < n; ++i) {
    sum = std::min(sum + step, kLongest);
    step = std::min(step + step, kLongest);
  }
  return sum;
}

base::Duration SlotTable::jitter_max(base::Duration gap) const {
  return base::Duration::ms(gap.count_ms() * policy_.jitter_percent / 100);
}

SlotRange SlotTable::slot(base::Instant queued_at, int n) const {
  const base::Instant at = queued_at + delay(n);
  return {.earliest = at, .latest = at + jitter_max(delay(n) - delay(n - 1))};
}

SlotRange SlotTable::last_slot(base::Instant queued_at) const {
  if (is_from_queueing(policy_)) {
    // Jitter may move a slot past its successors.
    SlotRange last = slot(queued_at, retries());
    for (int n = 1; n < retries(); ++n) {
      last.latest = std::max(last.latest, slot(queued_at, n).latest);
    }
    return last;
  }
  base::Duration sum;
  for (int n = 1; n <= retries(); ++n) {
    sum = std::min(sum + delay(n), kLongest);
  }
  const base::Instant at = queued_at + std::max(policy_.horizon, sum);
  return {.earliest = at, .latest = at};
}

base::Instant SlotTable::earliest_next(const Failure& failure) const {
  if (!is_from_queueing(policy_)) {
    const bool is_left = static_cast<int>(failure.number) <= retries();
    return is_left ? failure.at + delay(static_cast<int>(failure.number)) : base::Instant::never();
  }
  for (int n = 1; n <= retries(); ++n) {
    const SlotRange range = slot(failure.queued_at, n);
    if (range.latest > failure.at) {
      return std::max(range.earliest, failure.at + base::Duration::ms(1));
    }
  }
  return base::Instant::never();
}

bool SlotTable::allows_slot(const Failure& failure, base::Instant due) const {
  if (!is_from_queueing(policy_)) {
    const int n = static_cast<int>(failure.number);
    if (n > retries()) {
      return false;
    }
    const base::Instant at = failure.at + delay(n);
    return SlotRange{at, at + jitter_max(delay(n))}.holds(due);
  }
  if (due <= failure.at) {
    return false;
  }
  for (int n = 1; n <= retries(); ++n) {
    const SlotRange range = slot(failure.queued_at, n);
    if (range.holds(due)) {
      return true;
    }
    if (range.earliest > failure.at) {
      return false;  // this slot was certainly the next one
    }
  }
  return false;
}

bool SlotTable::allows(const Failure& failure, base::Duration patience, base::Instant due) const {
  if (patience == base::Duration{}) {
    return allows_slot(failure, due);
  }
  const base::Instant asked = failure.at + patience;
  if (due == asked) {
    return earliest_next(failure) <= asked;
  }
  return due > asked && allows_slot(failure, due);
}

bool SlotTable::allows_drop(const Failure& failure) const {
  if (!is_from_queueing(policy_)) {
    return static_cast<int>(failure.number) > retries();
  }
  const int last = retries();
  return last == 0 || slot(failure.queued_at, last).earliest <= failure.at;
}

}  // namespace checks
