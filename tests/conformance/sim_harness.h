// The simulator's store on a timeline of its own, with answers that come late and in any mixture.
#pragma once

#include <memory>

#include "sim/sim_store.h"
#include "sim/timeline.h"
#include "tests/conformance/harness.h"

namespace conformance {

class SimHarness : public Harness {
 public:
  SimHarness();

  store::Store& store() override { return store_; }
  base::Scheduler& scheduler() override { return *scheduler_; }
  bool run_until(const std::function<bool()>& is_done) override;
  void crash_and_reopen() override;

 private:
  sim::Timeline timeline_;
  sim::SimStore store_;
  std::unique_ptr<sim::SimScheduler> scheduler_;
};

}  // namespace conformance
