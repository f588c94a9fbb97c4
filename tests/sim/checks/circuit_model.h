// The circuit of one endpoint, written from section 4 of the specification and from nothing else:
// the reference that the real one is compared with. Slow and literal on purpose.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/time.h"
#include "model/delivery.h"
#include "model/endpoint.h"
#include "tests/sim/checks/history.h"

namespace checks {

class CircuitModel {
 public:
  // When "the first attempt" was. Attempts overlap, so the first to start is not always the first
  // to be counted; the specification allows either.
  enum class FirstAttempt : uint8_t { kFirstCounted, kFirstStarted };

  // Takes in an outcome; returns the transition it causes, if any.
  std::optional<model::Transition> count(const model::Attempt& attempt, model::Counting counting,
                                         const Settings& settings, FirstAttempt first);
  void saw_start(base::Instant at);

  // By hand. Nothing is returned where nothing changes.
  std::optional<model::Transition> enable(base::Instant at);
  std::optional<model::Transition> pause(base::Instant at);
  std::optional<model::Transition> resume(base::Instant at);

  // Follows a transition that should not have been, so that one mistake is reported once.
  void force(const model::Transition& transition);

  model::CircuitState state() const { return state_; }
  bool paused() const { return paused_; }
  uint64_t attempts() const { return successes_ + failures_; }
  // Attempts and failures of the hour of `at` and the ones before it, `hours` in all.
  model::RateCount in_window(base::Instant at, int hours) const;
  // What a stored record should say; fields that the model does not know are left as they are.
  void fill(model::EndpointRecord& record) const;

 private:
  using Transition = std::optional<model::Transition>;
  struct Hour {
    int64_t hour = 0;
    model::RateCount count;
  };

  void count_success(const model::Attempt& attempt, model::Counting counting);
  Transition count_failure(const model::Attempt& attempt, model::Counting counting,
                           const Settings& settings, FirstAttempt first);
  Transition judge_freeze(base::Instant at, const Settings& settings, FirstAttempt first);
  Transition judge_disable(base::Instant at, const Settings& settings);
  Transition change(base::Instant at, model::CircuitState next, model::TransitionReason reason);
  model::Transition describe(base::Instant at, model::TransitionReason reason) const;
  void clear(base::Instant at);
  void count_in_hour(base::Instant at, uint32_t failures);
  base::Instant silent_since(FirstAttempt first) const;

  model::CircuitState state_ = model::CircuitState::kActive;
  bool paused_ = false;
  bool last_failed_ = false;
  uint64_t successes_ = 0;
  uint64_t failures_ = 0;
  uint32_t consecutive_ = 0;
  model::RateCount since_enable_;
  std::array<Hour, model::HourlyWindow::kHours> hours_{};  // longer windows cannot be set
  base::Instant first_counted_;
  base::Instant first_started_;
  base::Instant last_success_;
  base::Instant enabled_at_;
  base::Instant released_at_;
  base::Instant disabled_at_;
  base::Instant frozen_at_;
  base::Instant not_before_;
};

}  // namespace checks
