// Every transition must be the one that the reference model makes, with the same numbers, and every
// stored record must say what the model says.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "tests/sim/checks/checker.h"
#include "tests/sim/checks/circuit_model.h"

namespace checks {

class CircuitCheck : public Checker {
 public:
  using Checker::Checker;

  void started(base::Instant at, const AttemptStarted& started) override;
  void submitted(base::Instant at, const model::Section& section) override;
  void committed(base::Instant at, const model::Section& section) override;
  void crashed(base::Instant at) override;
  void shard_lost(base::Instant at, base::ShardId shard) override;
  void asked(base::Instant at, const CommandAsked& asked) override;
  void answered(base::Instant at, const CommandAnswered& answered) override;

 private:
  struct Circuit {
    CircuitModel model;
    CircuitModel durable;
  };
  struct Pending {
    uint64_t epoch = 0;
    uint64_t number = 0;
    std::vector<std::pair<base::EndpointId, CircuitModel>> after;
  };

  void count(const model::Attempt& attempt, const model::Section& section);
  model::Counting counting_of(const model::Attempt& attempt) const;
  void compare(const model::Attempt& attempt, const CircuitModel& circuit,
               model::Counting counting);
  void compare_transition(base::Instant at, const model::Transition& seen,
                          const std::optional<model::Transition>& expected);
  void by_hand(base::Instant at, const model::Transition& seen);
  bool is_asked(const model::Transition& seen) const;
  void compare_record(base::Instant at, const model::EndpointRecord& seen,
                      const model::Section& section);
  void forget(base::ShardId shard);

  std::map<base::EndpointId, Circuit> circuits_;
  std::map<base::ShardId, std::deque<Pending>> pending_;
  std::map<uint64_t, CommandAsked> unanswered_;
};

}  // namespace checks
