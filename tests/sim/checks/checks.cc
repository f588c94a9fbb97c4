#include "tests/sim/checks/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "tests/sim/checks/attempts_check.h"
#include "tests/sim/checks/budgets_check.h"
#include "tests/sim/checks/circuit_check.h"
#include "tests/sim/checks/commands_check.h"
#include "tests/sim/checks/conservation_check.h"
#include "tests/sim/checks/duplicates_check.h"
#include "tests/sim/checks/lanes_check.h"
#include "tests/sim/checks/memory_check.h"
#include "tests/sim/checks/ordering_check.h"
#include "tests/sim/checks/probes_check.h"
#include "tests/sim/checks/promptness_check.h"
#include "tests/sim/checks/publishes_check.h"
#include "tests/sim/checks/ramp_check.h"
#include "tests/sim/checks/silence_check.h"
#include "tests/sim/checks/slots_check.h"

namespace checks {
namespace {

// Which member of a checker hears of which event; the rest nobody listens to.
struct Teller {
  Checker& checker;
  base::Instant at;

  void operator()(const Queued& event) const { checker.queued(at, event); }
  void operator()(const AttemptStarted& event) const { checker.started(at, event); }
  void operator()(const AttemptEnded& event) const { checker.ended(at, event); }
  void operator()(const ReceiverApplied& event) const { checker.applied(at, event); }
  void operator()(const Submitted& event) const { checker.submitted(at, event.section); }
  void operator()(const Crashed& /*event*/) const { checker.crashed(at); }
  void operator()(const Restarted& /*event*/) const { checker.restarted(at); }
  void operator()(const ShardLost& event) const { checker.shard_lost(at, event.shard); }
  void operator()(const ShardRegained& event) const { checker.shard_regained(at, event.shard); }
  void operator()(const CommandAsked& event) const { checker.asked(at, event); }
  void operator()(const CommandAnswered& event) const { checker.answered(at, event); }
  void operator()(const SubscriptionSet& event) const {
    checker.subscription_set(at, event.settings);
  }
  void operator()(const Counts& event) const { checker.counts(at, event); }
  void operator()(const RunEnded& /*event*/) const { checker.run_ended(at); }
  void operator()(const Committed& /*event*/) const {}
  void operator()(const StoreTrouble& /*event*/) const {}
  void operator()(const FaultsEnded& /*event*/) const {}
};

}  // namespace

Checks::Checks(const Settings& settings) : ledger_(settings) {
  add<AttemptsCheck>();
  add<BudgetsCheck>();
  add<CircuitCheck>();
  add<CommandsCheck>();
  add<ConservationCheck>();
  add<DuplicatesCheck>();
  add<LanesCheck>();
  add<MemoryCheck>();
  add<OrderingCheck>();
  add<ProbesCheck>();
  add<PromptnessCheck>();
  add<PublishesCheck>();
  add<RampCheck>();
  add<SilenceCheck>();
  add<SlotsCheck>();
}

Checks::~Checks() = default;

template <class CheckerType>
void Checks::add() {
  checkers_.push_back(std::make_unique<CheckerType>(ledger_, report_));
}

void Checks::observe(const Observation& seen) {
  if (report_.is_full()) {
    return;
  }
  // After a crash it may begin earlier: what was not committed has not happened.
  if (std::holds_alternative<Restarted>(seen.event)) {
    latest_ = seen.at;
  }
  if (seen.at < latest_) {
    report_.add("time-runs-backwards", seen.at,
                fmt::format("{} ms after {} ms", seen.at.ms(), latest_.ms()));
  }
  latest_ = std::max(latest_, seen.at);
  if (const auto* committed = std::get_if<Committed>(&seen.event)) {
    show_commit(seen.at, *committed);
  } else {
    show(seen.at, seen.event);
  }
  ledger_.apply(seen);
}

void Checks::show(base::Instant at, const Event& event) {
  for (const auto& checker : checkers_) {
    std::visit(Teller{.checker = *checker, .at = at}, event);
  }
}

void Checks::show_commit(base::Instant at, const Committed& committed) {
  const model::Section* section = ledger_.pending(committed);
  if (section == nullptr) {
    report_.add("commit-order", at,
                fmt::format("section {} of shard {} (epoch {}) is not the next one submitted",
                            committed.number, committed.shard, committed.epoch));
    return;
  }
  for (const auto& checker : checkers_) {
    checker->committed(at, *section);
  }
}

}  // namespace checks
