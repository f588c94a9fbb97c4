// Where checkers put what they found. Bounded: after the first hundred the rest is noise.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "tests/sim/checks/history.h"

namespace checks {

class Report {
 public:
  static constexpr size_t kViolationsMax = 100;

  bool is_full() const { return violations_.size() >= kViolationsMax; }

  void add(const char* rule, base::Instant at, std::string what) {
    if (!is_full()) {
      violations_.push_back({.rule = rule, .at = at, .what = std::move(what)});
    }
  }

  const std::vector<Violation>& violations() const { return violations_; }

 private:
  std::vector<Violation> violations_;
};

}  // namespace checks
