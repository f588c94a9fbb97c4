// The judge of a run: hands each observation to every checker.
#pragma once

#include <memory>
#include <vector>

#include "tests/sim/checks/checker.h"
#include "tests/sim/checks/history.h"
#include "tests/sim/checks/ledger.h"
#include "tests/sim/checks/report.h"

namespace checks {

class Checks {
 public:
  explicit Checks(const Settings& settings);
  ~Checks();
  Checks(const Checks&) = delete;
  Checks& operator=(const Checks&) = delete;

  void observe(const Observation& seen);

  // At most a hundred, in the order in which they were found.
  const std::vector<Violation>& violations() const { return report_.violations(); }

 private:
  template <class CheckerType>
  void add();
  void show(base::Instant at, const Event& event);
  void show_commit(base::Instant at, const Committed& committed);

  Ledger ledger_;
  Report report_;
  std::vector<std::unique_ptr<Checker>> checkers_;
  base::Instant latest_;
};

}  // namespace checks
