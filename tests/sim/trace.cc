#include "tests/sim/trace.h"

#include <fmt/core.h>

#include <string_view>

#include "base/hash.h"

namespace swarm {
namespace {

// Calls `sink(name, number)` for everything in an event that tells two runs apart.
template <class Sink>
class Fields {
 public:
  explicit Fields(Sink& sink) : sink_(sink) {}

  std::string_view operator()(const checks::Queued& event) {
    for (const model::Delivery& delivery : event.deliveries) {
      add(delivery);
    }
    return "queued";
  }

  std::string_view operator()(const checks::AttemptStarted& event) {
    add(event.delivery);
    put("number", event.number);
    put("lane", event.lane);
    put("probe", event.is_probe);
    return "attempt started";
  }

  std::string_view operator()(const checks::AttemptEnded& event) {
    put("delivery", event.delivery.value);
    put("endpoint", event.endpoint.value);
    put("kind", event.outcome.kind);
    put("status", event.outcome.status);
    return "attempt ended";
  }

  std::string_view operator()(const checks::ReceiverApplied& event) {
    put("delivery", event.delivery.value);
    return "receiver applied";
  }

  std::string_view operator()(const checks::Submitted& event) {
    put("shard", event.section.shard);
    put("section", event.section.number);
    for (const model::DeliveryChange& change : event.section.deliveries) {
      add(change);
    }
    for (const model::Transition& transition : event.section.transitions) {
      put("circuit_of", transition.endpoint.value);
      put("from", transition.from);
      put("to", transition.to);
      put("reason", transition.reason);
    }
    put("records", event.section.endpoints.size());
    put("publishes", event.section.publishes.size());
    return "submitted";
  }

  std::string_view operator()(const checks::Committed& event) {
    put("shard", event.shard);
    put("section", event.number);
    return "committed";
  }

  std::string_view operator()(const checks::StoreTrouble&) { return "store trouble"; }
  std::string_view operator()(const checks::Crashed&) { return "crashed"; }
  std::string_view operator()(const checks::Restarted&) { return "restarted"; }
  std::string_view operator()(const checks::FaultsEnded&) { return "faults ended"; }
  std::string_view operator()(const checks::RunEnded&) { return "run ended"; }

  std::string_view operator()(const checks::ShardLost& event) {
    put("shard", event.shard);
    return "shard lost";
  }

  std::string_view operator()(const checks::ShardRegained& event) {
    put("shard", event.shard);
    return "shard regained";
  }

  std::string_view operator()(const checks::CommandAsked& event) {
    put("command", event.command);
    put("kind", event.kind);
    put("endpoint", event.endpoint.value);
    put("delivery", event.delivery.value);
    put("subscription", event.subscription.value);
    return "command asked";
  }

  std::string_view operator()(const checks::CommandAnswered& event) {
    put("command", event.command);
    put("answer", event.answer);
    return "command answered";
  }

  std::string_view operator()(const checks::SubscriptionSet& event) {
    put("subscription", event.settings.id.value);
    put("ordered", event.settings.ordered);
    return "subscription set";
  }

  std::string_view operator()(const checks::Counts& event) {
    put("waiting", event.waiting);
    put("held", event.held);
    put("in_flight", event.in_flight);
    put("created", event.stored_created);
    put("delivered", event.stored_delivered);
    put("dropped", event.stored_dropped);
    put("cancelled", event.stored_cancelled);
    put("quiet", event.is_quiet);
    return "counts";
  }

 private:
  template <class Number>
  void put(std::string_view name, Number number) {
    sink_(name, static_cast<uint64_t>(number));
  }

  void add(const model::Delivery& delivery) {
    put("delivery", delivery.id.value);
    put("endpoint", delivery.endpoint.value);
    put("subscription", delivery.subscription.value);
    put("due", delivery.due.ms());
    put("range", delivery.range);
    put("recorded", delivery.recorded);
    put("blocked", delivery.blocked);
  }

  void add(const model::DeliveryChange& change) {
    put("delivery", change.delivery.value);
    if (change.attempt) {
      put("attempt", change.attempt->number);
      put("kind", change.attempt->outcome.kind);
      put("status", change.attempt->outcome.status);
      put("counting", change.attempt->counting);
    }
    if (change.placed) {
      put("placed", change.placed->due.ms());
    }
    if (change.end) {
      put("end", *change.end);
    }
  }

  Sink& sink_;
};

}  // namespace

std::string describe(const checks::Observation& observation) {
  std::string text;
  auto sink = [&text](std::string_view name, uint64_t number) {
    text += fmt::format(" {}={}", name, number);
  };
  const std::string_view name = std::visit(Fields(sink), observation.event);
  return fmt::format("{} {}{}", observation.at.ms(), name, text);
}

uint64_t fingerprint(const checks::Observation& observation) {
  uint64_t hash = base::mix(static_cast<uint64_t>(observation.at.ms()), observation.event.index());
  auto sink = [&hash](std::string_view, uint64_t number) { hash = base::mix(hash, number); };
  std::visit(Fields(sink), observation.event);
  return hash;
}

}  // namespace swarm
