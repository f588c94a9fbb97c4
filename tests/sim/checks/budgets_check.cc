#include "tests/sim/checks/budgets_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace checks {
namespace {

uint32_t half(uint32_t most) { return std::max(1U, most / 2); }

}  // namespace

void BudgetsCheck::started(base::Instant at, const AttemptStarted& started) {
  check_endpoint(at, started);
  check_total(at, started);
  check_subscription(at, started);
}

void BudgetsCheck::bound(base::Instant at, const char* rule, uint32_t count, uint32_t most) {
  if (count > most) {
    report_.add(rule, at, fmt::format("{} in flight, at most {}", count, most));
  }
}

void BudgetsCheck::check_endpoint(base::Instant at, const AttemptStarted& started) {
  if (started.is_probe) {
    return;  // a probe is sent whatever else is still in flight
  }
  const FlightCount& flights = ledger_.endpoint(started.delivery.endpoint).flights;
  const uint32_t most = settings().endpoint_in_flight_max;
  bound(at, "endpoint-in-flight", flights.all - flights.probes + 1, most);
  if (started.lane == model::Lane::kRetry) {
    bound(at, "endpoint-retry-lane", flights.retry_lane - flights.probes + 1, half(most));
  }
}

void BudgetsCheck::check_total(base::Instant at, const AttemptStarted& started) {
  const FlightCount& flights = ledger_.flights();
  const uint32_t most = settings().in_flight_max;
  bound(at, "total-in-flight", flights.all + 1, most);
  if (started.lane == model::Lane::kRetry) {
    bound(at, "total-retry-lane", flights.retry_lane + 1, half(most));
  } else if (!ledger_.endpoint(started.delivery.endpoint).circuit.is_proven()) {
    bound(at, "total-unproven", flights.unproven + 1, half(most - most / 2));
  }
}

void BudgetsCheck::check_subscription(base::Instant at, const AttemptStarted& started) {
  const auto* own = ledger_.subscription(started.delivery.subscription);
  if (own == nullptr) {
    return;
  }
  if (own->in_flight_max.has_value() && !started.is_probe) {
    bound(at, "subscription-in-flight", ledger_.in_flight_of(own->id) + 1, *own->in_flight_max);
  }
  if (own->rate_limit.has_value()) {
    check_pace(at, started, *own->rate_limit);
  }
}

void BudgetsCheck::check_pace(base::Instant at, const AttemptStarted& started,
                              const model::RateLimit& limit) {
  Pace& pace = paces_[{started.delivery.subscription, started.delivery.endpoint}];
  const int64_t now = at.ms() * limit.count;
  // A start is a whole millisecond, and a pace that outlived a lost shard may be a fraction ahead.
  if (now + limit.count <= pace.next && !started.is_probe) {
    report_.add("subscription-rate", at,
                fmt::format("delivery {:x} of subscription {:x} started {}/{} ms too early for {} "
                            "per {} ms",
                            started.delivery.id.value, started.delivery.subscription.value,
                            pace.next - now, limit.count, limit.count, limit.period.count_ms()));
  }
  pace.before = pace.next;
  // Whole milliseconds: a start within one of its time is on time.
  const bool is_late = now >= pace.next + limit.count;
  pace.next = (is_late ? now : pace.next) + limit.period.count_ms();
}

void BudgetsCheck::ended(base::Instant /*at*/, const AttemptEnded& ended) {
  const DeliveryTrack* track = ledger_.delivery(ended.delivery);
  if (track == nullptr || ended.outcome.kind != model::OutcomeKind::kNotStarted) {
    return;
  }
  // It was no attempt, so it may or may not have used up the subscription's turn.
  const auto found = paces_.find({track->queued.subscription, ended.endpoint});
  if (found != paces_.end()) {
    found->second.next = found->second.before;
  }
}

void BudgetsCheck::crashed(base::Instant /*at*/) { paces_.clear(); }

void BudgetsCheck::shard_lost(base::Instant /*at*/, base::ShardId shard) {
  std::erase_if(paces_, [&](const auto& entry) { return entry.first.second.shard() == shard; });
}

void BudgetsCheck::subscription_set(base::Instant /*at*/,
                                    const model::SubscriptionSettings& settings) {
  const auto* before = ledger_.subscription(settings.id);
  if (before == nullptr || before->rate_limit != settings.rate_limit) {
    std::erase_if(paces_, [&](const auto& entry) { return entry.first.first == settings.id; });
  }
}

}  // namespace checks
