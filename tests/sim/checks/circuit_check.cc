#include "tests/sim/checks/circuit_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/sim/checks/words.h"

namespace checks {
namespace {

using model::TransitionReason;

bool is_by_hand(const model::Transition& transition) {
  return transition.reason == TransitionReason::kEnabledByHand ||
         transition.reason == TransitionReason::kPausedByHand ||
         transition.reason == TransitionReason::kResumedByHand;
}

// A probe's success is itself an attempt and ends the row of failures. Whether "the numbers before
// clearing" are those before or after it, the specification does not say; both are accepted.
bool is_same_after_probe(const model::Transition& seen, const model::Transition& expected) {
  const bool is_before = seen.attempts + 1 == expected.attempts;
  return (is_before || seen.attempts == expected.attempts) && seen.failures == expected.failures &&
         (seen.consecutive_failures == expected.consecutive_failures ||
          seen.consecutive_failures == 0);
}

bool is_same(const model::Transition& seen, const model::Transition& expected) {
  if (seen.from != expected.from || seen.to != expected.to || seen.reason != expected.reason ||
      seen.at != expected.at) {
    return false;
  }
  if (seen.reason == TransitionReason::kProbeSucceeded) {
    return is_same_after_probe(seen, expected);
  }
  return seen.attempts == expected.attempts && seen.failures == expected.failures &&
         seen.consecutive_failures == expected.consecutive_failures;
}

model::RateCount window_sum(const model::HourlyWindow& window, base::Instant at, int hours) {
  model::RateCount sum;
  for (int64_t hour = std::max(window.newest_hour - model::HourlyWindow::kHours, at.hour() - hours);
       hour < window.newest_hour;) {
    ++hour;
    const auto& bucket = window.buckets[static_cast<size_t>(hour) % model::HourlyWindow::kHours];
    sum.attempts += bucket.attempts;
    sum.failures += bucket.failures;
  }
  return sum;
}

std::string window_difference(const model::RateCount& seen, const model::RateCount& expected) {
  if (seen == expected) {
    return "";
  }
  return fmt::format(" window holds {} attempts and {} failures, not {} and {}", seen.attempts,
                     seen.failures, expected.attempts, expected.failures);
}

const model::Transition* caused_transition(const model::Section& section,
                                           base::EndpointId endpoint) {
  const auto found = std::ranges::find_if(section.transitions, [&](const auto& transition) {
    return transition.endpoint == endpoint && !is_by_hand(transition);
  });
  return found == section.transitions.end() ? nullptr : &*found;
}

}  // namespace

void CircuitCheck::started(base::Instant at, const AttemptStarted& started) {
  circuits_[started.delivery.endpoint].model.saw_start(at);
}

model::Counting CircuitCheck::counting_of(const model::Attempt& attempt) const {
  const DeliveryTrack* track = ledger_.delivery(attempt.delivery);
  if (track == nullptr || !track->flight.has_value()) {
    return model::Counting::kFull;  // nonsense that the attempts checker reports
  }
  const CircuitView& circuit = ledger_.endpoint(attempt.endpoint).circuit;
  if (track->flight->enables != circuit.enables) {
    return model::Counting::kLifetimeOnly;
  }
  return track->flight->state_changes != circuit.state_changes ? model::Counting::kLate
                                                               : model::Counting::kFull;
}

void CircuitCheck::submitted(base::Instant at, const model::Section& section) {
  for (const model::DeliveryChange& change : section.deliveries) {
    if (change.attempt.has_value()) {
      count(*change.attempt, section);
    }
  }
  for (const model::Transition& transition : section.transitions) {
    if (is_by_hand(transition)) {
      by_hand(at, transition);
    } else if (std::ranges::none_of(section.deliveries, [&](const auto& change) {
                 return change.attempt.has_value() &&
                        change.attempt->endpoint == transition.endpoint;
               })) {
      compare_transition(at, transition, std::nullopt);
    }
  }
  for (const model::EndpointRecord& record : section.endpoints) {
    compare_record(at, record, section);
  }
  Pending pending{.epoch = section.epoch, .number = section.number, .after = {}};
  const auto keep = [&](base::EndpointId id) {
    pending.after.emplace_back(id, circuits_[id].model);
  };
  for (const model::DeliveryChange& change : section.deliveries) {
    if (change.attempt.has_value()) {
      keep(change.attempt->endpoint);
    }
  }
  for (const model::Transition& transition : section.transitions) {
    keep(transition.endpoint);
  }
  pending_[section.shard].push_back(std::move(pending));
}

void CircuitCheck::count(const model::Attempt& attempt, const model::Section& section) {
  CircuitModel& circuit = circuits_[attempt.endpoint].model;
  const model::Counting counting = counting_of(attempt);
  const model::Transition* seen = caused_transition(section, attempt.endpoint);
  CircuitModel other = circuit;
  auto expected =
      circuit.count(attempt, counting, settings(), CircuitModel::FirstAttempt::kFirstCounted);
  auto elsewise =
      other.count(attempt, counting, settings(), CircuitModel::FirstAttempt::kFirstStarted);
  if (expected.has_value() != elsewise.has_value() ||
      (expected && !is_same(*expected, *elsewise))) {
    const bool is_elsewise =
        seen == nullptr ? !elsewise.has_value() : elsewise.has_value() && is_same(*seen, *elsewise);
    circuit = is_elsewise ? other : circuit;
    expected = is_elsewise ? elsewise : expected;
  }
  if (seen != nullptr) {
    compare_transition(attempt.finished_at, *seen, expected);
  } else if (expected.has_value()) {
    report_.add("circuit-transition-missing", attempt.finished_at,
                fmt::format("endpoint {:x} should have gone {}", attempt.endpoint.value,
                            describe(*expected)));
  }
  compare(attempt, circuit, counting);
}

void CircuitCheck::compare(const model::Attempt& attempt, const CircuitModel& circuit,
                           model::Counting counting) {
  if (attempt.counting != counting) {
    report_.add("circuit-counting", attempt.finished_at,
                fmt::format("attempt {} of delivery {:x} counts as {} instead of {}",
                            attempt.number, attempt.delivery.value,
                            static_cast<int>(attempt.counting), static_cast<int>(counting)));
  }
  if (attempt.ordinal != circuit.attempts()) {
    report_.add(
        "circuit-ordinal", attempt.finished_at,
        fmt::format("attempt {} of delivery {:x} has ordinal {}, but it is number {} of "
                    "its endpoint",
                    attempt.number, attempt.delivery.value, attempt.ordinal, circuit.attempts()));
  }
}

void CircuitCheck::compare_transition(base::Instant at, const model::Transition& seen,
                                      const std::optional<model::Transition>& expected) {
  if (!expected.has_value()) {
    report_.add("circuit-transition-unexpected", at,
                fmt::format("endpoint {:x} went {}", seen.endpoint.value, describe(seen)));
    circuits_[seen.endpoint].model.force(seen);
  } else if (!is_same(seen, *expected)) {
    report_.add("circuit-transition-differs", at,
                fmt::format("endpoint {:x} went {} instead of {}", seen.endpoint.value,
                            describe(seen), describe(*expected)));
  }
}

bool CircuitCheck::is_asked(const model::Transition& seen) const {
  const CommandKind kind = seen.reason == TransitionReason::kEnabledByHand  ? CommandKind::kEnable
                           : seen.reason == TransitionReason::kPausedByHand ? CommandKind::kPause
                                                                            : CommandKind::kResume;
  return std::ranges::any_of(unanswered_, [&](const auto& entry) {
    return entry.second.kind == kind && entry.second.endpoint == seen.endpoint;
  });
}

void CircuitCheck::by_hand(base::Instant at, const model::Transition& seen) {
  if (!is_asked(seen)) {
    report_.add("circuit-unasked", at,
                fmt::format("endpoint {:x} went {}, but nobody asked", seen.endpoint.value,
                            describe(seen)));
  }
  CircuitModel& circuit = circuits_[seen.endpoint].model;
  const auto expected = seen.reason == TransitionReason::kEnabledByHand  ? circuit.enable(at)
                        : seen.reason == TransitionReason::kPausedByHand ? circuit.pause(at)
                                                                         : circuit.resume(at);
  compare_transition(at, seen, expected);
}

void CircuitCheck::compare_record(base::Instant at, const model::EndpointRecord& seen,
                                  const model::Section& section) {
  model::EndpointRecord expected = seen;
  circuits_[seen.id].model.fill(expected);
  if (seen.not_before <= at && expected.not_before <= at) {
    expected.not_before = seen.not_before;  // over: whether it was wiped is nobody's business
  }

  const EndpointTrack& endpoint = ledger_.endpoint(seen.id);
  const auto known = std::ranges::upper_bound(endpoint.queued, seen.last_queued);
  uint64_t ended = endpoint.ended_submitted;
  for (const model::DeliveryChange& change : section.deliveries) {
    const DeliveryTrack* track = ledger_.delivery(change.delivery);
    const bool ends_now = change.end.has_value() && track != nullptr &&
                          !track->end_submitted.has_value() && track->queued.endpoint == seen.id;
    ended += ends_now ? 1 : 0;
  }
  expected.unfinished = static_cast<uint64_t>(known - endpoint.queued.begin()) - ended;

  const model::RateCount window = circuits_[seen.id].model.in_window(at, settings().window_hours);
  const std::string difference =
      difference_of(seen, expected) +
      window_difference(window_sum(seen.window, at, settings().window_hours), window);
  if (!difference.empty()) {
    report_.add("circuit-record", at,
                fmt::format("stored record of endpoint {:x}: {}", seen.id.value, difference));
  }
}

void CircuitCheck::committed(base::Instant /*at*/, const model::Section& section) {
  auto& waiting = pending_[section.shard];
  if (waiting.empty()) {
    return;
  }
  for (const auto& [id, after] : waiting.front().after) {
    circuits_[id].durable = after;
  }
  waiting.pop_front();
}

void CircuitCheck::forget(base::ShardId shard) {
  pending_[shard].clear();
  for (auto& [id, circuit] : circuits_) {
    if (id.shard() == shard) {
      circuit.model = circuit.durable;
    }
  }
}

void CircuitCheck::crashed(base::Instant /*at*/) {
  pending_.clear();
  for (auto& [id, circuit] : circuits_) {
    circuit.model = circuit.durable;
  }
}

void CircuitCheck::shard_lost(base::Instant /*at*/, base::ShardId shard) { forget(shard); }

void CircuitCheck::asked(base::Instant /*at*/, const CommandAsked& asked) {
  unanswered_.emplace(asked.command, asked);
}

void CircuitCheck::answered(base::Instant /*at*/, const CommandAnswered& answered) {
  unanswered_.erase(answered.command);
}

}  // namespace checks
