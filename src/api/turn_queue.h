// Long work in slices, one slice in each turn of the loop, whoever it is for.
//
// Between two slices everything else that is ready has its turn. So those who publish a thousand
// lines at once cannot run ahead of the deliveries that follow from them: what was accepted leaves
// at the pace at which it comes.
#pragma once

#include <deque>
#include <functional>
#include <utility>

#include "base/scheduler.h"

namespace api {

class TurnQueue {
 public:
  using Slice = std::function<void()>;

  explicit TurnQueue(base::Scheduler& scheduler) : scheduler_(scheduler) {}

  // Runs the slice when those before it have run; never inside this call.
  void add(Slice slice) {
    slices_.push_back(std::move(slice));
    if (slices_.size() == 1) {
      post();
    }
  }

 private:
  void post() {
    scheduler_.post([this] { run_first(); });
  }

  // The slice stays in line while it runs, so that what it adds does not post a second time.
  void run_first() {
    const Slice slice = std::move(slices_.front());
    slice();
    slices_.pop_front();
    if (!slices_.empty()) {
      post();
    }
  }

  base::Scheduler& scheduler_;
  std::deque<Slice> slices_;
};

}  // namespace api
