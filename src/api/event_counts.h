// Counts what became of the events that producers sent.
#pragma once

#include "api/problem.h"
#include "base/time.h"
#include "observe/metrics.h"

namespace api {

inline void count_accepted(observe::Metrics& metrics, bool is_repeat) {
  metrics.add(observe::Metric::kEvents,
              is_repeat ? observe::EventResult::kRepeated : observe::EventResult::kAccepted);
}

// What may succeed when it is tried again is not the producer's fault.
inline void count_refused(observe::Metrics& metrics, const Problem& problem) {
  const bool may_try_again = problem.status == 429 || problem.status >= 500;
  metrics.add(observe::Metric::kEvents,
              may_try_again ? observe::EventResult::kUnavailable : observe::EventResult::kRejected);
}

inline void count_publish_time(observe::Metrics& metrics, base::Duration took) {
  metrics.observe(observe::Metric::kPublishSeconds, static_cast<double>(took.count_ms()) / 1000);
}

}  // namespace api
