#include "tests/sim/checks/silence_check.h"

#include <fmt/format.h>

#include "tests/sim/checks/words.h"

namespace checks {

void SilenceCheck::started(base::Instant at, const AttemptStarted& started) {
  const model::Delivery& delivery = started.delivery;
  if (!ledger_.works(delivery.endpoint.shard())) {
    report_.add("started-while-down", at,
                fmt::format("delivery {:x} started, but its shard {} is not at work",
                            delivery.id.value, delivery.endpoint.shard()));
  }
  check_circuit(at, started, ledger_.endpoint(delivery.endpoint).circuit);
  check_wanted(at, delivery);
}

void SilenceCheck::check_circuit(base::Instant at, const AttemptStarted& started,
                                 const CircuitView& circuit) {
  const uint64_t id = started.delivery.id.value;
  const bool is_allowed = started.is_probe ? circuit.lets_probes_out() : circuit.lets_out();
  if (!is_allowed) {
    report_.add(
        "started-while-closed", at,
        fmt::format("{} delivery {:x} started, but endpoint {:x} is {}{}",
                    started.is_probe ? "probe" : "ordinary", id, started.delivery.endpoint.value,
                    word(circuit.state), circuit.paused ? " and paused" : ""));
  }
  if (at < circuit.not_before) {
    report_.add("started-before-retry-after", at,
                fmt::format("delivery {:x} started {} ms before endpoint {:x} wanted anything", id,
                            (circuit.not_before - at).count_ms(), started.delivery.endpoint.value));
  }
}

void SilenceCheck::check_wanted(base::Instant at, const model::Delivery& delivery) {
  if (ledger_.is_removed(delivery.subscription)) {
    report_.add("started-after-removal", at,
                fmt::format("delivery {:x} started after its subscription {:x} was removed",
                            delivery.id.value, delivery.subscription.value));
  }
  if (cancelled_.contains(delivery.id)) {
    report_.add("started-after-cancel", at,
                fmt::format("delivery {:x} started after it was cancelled", delivery.id.value));
  }
}

void SilenceCheck::asked(base::Instant /*at*/, const CommandAsked& asked) {
  if (asked.kind == CommandKind::kCancel) {
    cancels_[asked.command] = asked.delivery;
  }
}

void SilenceCheck::answered(base::Instant /*at*/, const CommandAnswered& answered) {
  const auto found = cancels_.find(answered.command);
  if (found != cancels_.end() && answered.answer == CommandAnswer::kDone) {
    cancelled_.insert(found->second);
  }
}

}  // namespace checks
