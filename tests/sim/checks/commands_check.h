// Every command is answered, and the answer is true: "done" after the change is durable,
// "unchanged" only if there was nothing to change.
#pragma once

#include <map>

#include "tests/sim/checks/checker.h"

namespace checks {

class CommandsCheck : public Checker {
 public:
  using Checker::Checker;

  void asked(base::Instant at, const CommandAsked& asked) override;
  void answered(base::Instant at, const CommandAnswered& answered) override;
  void submitted(base::Instant at, const model::Section& section) override;
  void committed(base::Instant at, const model::Section& section) override;
  void crashed(base::Instant at) override;
  void run_ended(base::Instant at) override;

 private:
  struct Open {
    CommandAsked asked;
    bool is_durable = false;   // what it asks for was committed since
    bool was_settled = false;  // at some time since, there was nothing to change
  };

  bool is_settled(const CommandAsked& asked) const;
  void check(base::Instant at, const Open& open, CommandAnswer answer);

  std::map<uint64_t, Open> open_;
};

}  // namespace checks
