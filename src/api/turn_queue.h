// Long work in slices, one slice in each turn of the loop, whoever it is for.
//
// Between two slices everything else that is ready has its turn. And only a few slices may have
// begun and not be finished, which for events means: durable. So those who publish a thousand lines
// at once, over many connections, neither fill a commit that outcomes are waiting for nor run ahead
// of the deliveries that follow from them.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <utility>

#include "base/check.h"
#include "base/scheduler.h"

namespace api {

class TurnQueue {
 public:
  // Begins something, for which finished() is called once when it has come to its end.
  using Slice = std::function<void()>;

  TurnQueue(base::Scheduler& scheduler, size_t under_way_max)
      : scheduler_(scheduler), under_way_max_(under_way_max) {}

  // Runs the slice when those before it have run; never inside this call.
  void add(Slice slice) {
    slices_.push_back(std::move(slice));
    go_on();
  }
  void finished() {
    CHECK(under_way_ > 0);
    under_way_ -= 1;
    go_on();
  }

 private:
  void go_on() {
    if (!is_posted_ && !slices_.empty() && under_way_ < under_way_max_) {
      is_posted_ = true;
      scheduler_.post([this] { run_first(); });
    }
  }

  void run_first() {
    is_posted_ = false;
    under_way_ += 1;
    const Slice slice = std::move(slices_.front());
    slices_.pop_front();
    slice();
    go_on();
  }

  base::Scheduler& scheduler_;
  size_t under_way_max_;
  size_t under_way_ = 0;
  bool is_posted_ = false;
  std::deque<Slice> slices_;
};

}  // namespace api
