#include "tests/conformance/sim_harness.h"

#include "tests/conformance/samples.h"

namespace conformance {
namespace {

using base::Duration;

// Longer than any delay below.
constexpr Duration kPatience = Duration::minutes(1);

constexpr sim::StoreFaults kLateAnswers{.commit_delay_min = Duration::ms(0),
                                        .commit_delay_max = Duration::ms(3),
                                        .report_delay_max = Duration::ms(2),
                                        .read_delay_max = Duration::ms(4)};

}  // namespace

SimHarness::SimHarness()
    : store_({.seed = 1}, {}),
      scheduler_(std::make_unique<sim::SimScheduler>(timeline_, kStart, base::Instant())) {
  store_.set_faults(kLateAnswers);
  store_.attach(*scheduler_);
}

bool SimHarness::run_until(const std::function<bool()>& is_done) {
  while (!is_done()) {
    if (!timeline_.run_next(timeline_.elapsed() + kPatience)) {
      return false;
    }
  }
  return true;
}

void SimHarness::crash_and_reopen() {
  store_.crash();
  scheduler_ = std::make_unique<sim::SimScheduler>(timeline_, kStart, store_.last_committed());
  store_.attach(*scheduler_);
}

}  // namespace conformance
