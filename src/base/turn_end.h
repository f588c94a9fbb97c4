// Runs a task once at the end of a turn: after everything that the scheduler has to do already,
// however often it is asked for meanwhile. So what a turn brings can be handed on together.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "base/scheduler.h"

namespace base {

class TurnEnd {
 public:
  TurnEnd(Scheduler& scheduler, std::function<void()> task)
      : scheduler_(scheduler), state_(std::make_shared<State>(std::move(task))) {}
  // The task does not run any more.
  ~TurnEnd() { state_->is_over = true; }

  TurnEnd(const TurnEnd&) = delete;
  TurnEnd& operator=(const TurnEnd&) = delete;

  void ask() {
    if (std::exchange(state_->is_asked, true)) {
      return;
    }
    scheduler_.post([state = state_] {
      state->is_asked = false;
      if (!state->is_over) {
        state->task();
      }
    });
  }
  bool is_asked() const { return state_->is_asked; }

 private:
  struct State {
    explicit State(std::function<void()> given) : task(std::move(given)) {}

    std::function<void()> task;
    bool is_asked = false;
    bool is_over = false;
  };

  Scheduler& scheduler_;
  std::shared_ptr<State> state_;
};

}  // namespace base
