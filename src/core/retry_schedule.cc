#include "core/retry_schedule.h"

#include <algorithm>
#include <string>

#include "base/hash.h"

namespace core {
namespace {

using base::Duration;
using base::ErrorCode;
using base::Instant;
using model::RetryAnchor;
using model::RetryPolicy;

// Far beyond any sensible horizon, and far from overflowing milliseconds.
constexpr Duration kDelayMax = Duration::hours(24 * 366);

int retry_count(const RetryPolicy& policy) {
  const bool is_limited = policy.max_retries != RetryPolicy::kRetriesOfAnchor;
  if (!policy.delays.empty()) {
    const int listed = static_cast<int>(policy.delays.size());
    return is_limited ? std::min(listed, policy.max_retries) : listed;
  }
  if (is_limited) {
    return policy.max_retries;
  }
  return policy.anchor == RetryAnchor::kQueued ? 11 : 10;
}

Duration formula(const RetryPolicy& policy, int retry) {
  return policy.unit * ((int64_t{1} << retry) - 1);
}

base::Result<bool> check_delays(const RetryPolicy& policy) {
  if (policy.delays.size() > RetryPolicy::kRetriesMax) {
    return base::fail(ErrorCode::kInvalid, "retry.delays: at most " +
                                               std::to_string(RetryPolicy::kRetriesMax) +
                                               " delays are possible");
  }
  Duration previous;
  for (const Duration delay : policy.delays) {
    if (delay <= Duration() || delay > kDelayMax) {
      return base::fail(ErrorCode::kInvalid,
                        "retry.delays: each delay must be above 0 and at most 366 days");
    }
    if (policy.anchor == RetryAnchor::kQueued && delay <= previous) {
      return base::fail(ErrorCode::kInvalid,
                        "retry.delays: with retry.anchor = queued each delay counts from queueing, "
                        "so each must be longer than the one before");
    }
    previous = delay;
  }
  return true;
}

base::Result<bool> check_formula(const RetryPolicy& policy) {
  if (policy.unit <= Duration() || policy.unit > kDelayMax) {
    return base::fail(ErrorCode::kInvalid, "retry.unit: must be above 0 and at most 366 days");
  }
  const int retries = retry_count(policy);
  // Divided, because the product may overflow before the comparison could notice; beyond 34 the
  // factor alone is too large for any unit.
  if (retries > 34 || (int64_t{1} << retries) - 1 > kDelayMax.count_ms() / policy.unit.count_ms()) {
    return base::fail(ErrorCode::kInvalid,
                      "retry.max_retries: the last retry would be more than 366 days away; lower "
                      "retry.max_retries or retry.unit");
  }
  return true;
}

}  // namespace

base::Result<RetrySchedule> RetrySchedule::make(const RetryPolicy& policy) {
  const bool is_limited = policy.max_retries != RetryPolicy::kRetriesOfAnchor;
  if (is_limited && (policy.max_retries < 0 || policy.max_retries > RetryPolicy::kRetriesMax)) {
    return base::fail(ErrorCode::kInvalid, "retry.max_retries: must be between 0 and " +
                                               std::to_string(RetryPolicy::kRetriesMax));
  }
  if (policy.jitter_percent < 0 || policy.jitter_percent > 100) {
    return base::fail(ErrorCode::kInvalid, "retry.jitter: must be between 0 and 100 percent");
  }
  if (policy.horizon < Duration() || policy.horizon > kDelayMax) {
    return base::fail(ErrorCode::kInvalid, "retry.horizon: must be at most 366 days");
  }
  TRY([[maybe_unused]] const bool ok,
      policy.delays.empty() ? check_formula(policy) : check_delays(policy));
  return RetrySchedule(policy);
}

RetrySchedule::RetrySchedule(const RetryPolicy& policy)
    : anchor_(policy.anchor), jitter_percent_(policy.jitter_percent), horizon_(policy.horizon) {
  for (int retry = 1; retry <= retry_count(policy); ++retry) {
    const auto index = static_cast<size_t>(retry) - 1;
    delays_.push_back(policy.delays.empty() ? formula(policy, retry) : policy.delays[index]);
  }
}

Duration RetrySchedule::jitter(const model::Delivery& delivery, size_t index) const {
  if (jitter_percent_ == 0) {
    return {};
  }
  const bool from_queueing = anchor_ == RetryAnchor::kQueued;
  const Duration before = from_queueing && index > 0 ? delays_[index - 1] : Duration();
  const int64_t most = (delays_[index] - before).count_ms() * jitter_percent_ / 100;
  const uint64_t who = base::mix(delivery.event.value, delivery.subscription.value);
  const uint64_t draw = base::mix(who, index) % (static_cast<uint64_t>(most) + 1);
  return Duration::ms(static_cast<int64_t>(draw));
}

Instant RetrySchedule::slot(const model::Delivery& delivery, size_t index) const {
  return delivery.queued_at + delays_[index] + jitter(delivery, index);
}

std::optional<Instant> RetrySchedule::next_due(const model::Delivery& delivery,
                                               Instant failed_at) const {
  if (anchor_ == RetryAnchor::kPreviousAttempt) {
    CHECK_GT(delivery.attempts, 0U);
    const size_t index = delivery.attempts - 1;
    if (index >= delays_.size()) {
      return std::nullopt;
    }
    return failed_at + delays_[index] + jitter(delivery, index);
  }
  // Not the first in the list: jitter may have moved a slot past its successor.
  std::optional<Instant> next;
  for (size_t index = 0; index < delays_.size(); ++index) {
    const Instant candidate = slot(delivery, index);
    if (candidate > failed_at && (!next || candidate < *next)) {
      next = candidate;
    }
  }
  return next;
}

Instant RetrySchedule::last_slot(const model::Delivery& delivery) const {
  if (anchor_ == RetryAnchor::kPreviousAttempt) {
    Duration sum;
    for (const Duration delay : delays_) {
      sum = sum + delay;
    }
    return delivery.queued_at + std::max(horizon_, sum);
  }
  Instant last = delivery.queued_at;
  for (size_t index = 0; index < delays_.size(); ++index) {
    last = std::max(last, slot(delivery, index));
  }
  return last;
}

std::vector<Duration> RetrySchedule::slots() const {
  if (anchor_ == RetryAnchor::kQueued) {
    return delays_;
  }
  std::vector<Duration> slots;
  Duration sum;
  for (const Duration delay : delays_) {
    sum = sum + delay;
    slots.push_back(sum);
  }
  return slots;
}

}  // namespace core
