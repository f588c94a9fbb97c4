#include "core/census.h"

#include "base/check.h"

namespace core {
namespace {

Counted::As kind_of(const model::EndpointRecord& record) {
  if (record.paused) {
    return Counted::As::kPaused;
  }
  switch (record.state) {
    case model::CircuitState::kActive:
      break;
    case model::CircuitState::kDisabled:
      return Counted::As::kDisabled;
    case model::CircuitState::kFrozen:
      return Counted::As::kFrozen;
  }
  return Counted::As::kActive;
}

}  // namespace

uint64_t& Census::circuit(Counted::As as) {
  CHECK(as != Counted::As::kNothing);
  switch (as) {
    case Counted::As::kDisabled:
      return circuits_.disabled;
    case Counted::As::kFrozen:
      return circuits_.frozen;
    case Counted::As::kPaused:
      return circuits_.paused;
    case Counted::As::kNothing:
    case Counted::As::kActive:
      break;
  }
  return circuits_.active;
}

uint64_t& Census::not_in_flight(Counted::As as) {
  return as == Counted::As::kActive ? unfinished_.waiting : unfinished_.held;
}

void Census::count(Endpoint& endpoint) {
  forget(endpoint);
  Counted& counted = endpoint.counted;
  counted = {.as = kind_of(endpoint.record),
             .in_flight = endpoint.in_flight,
             .waiting_or_held = endpoint.waiting_or_held()};
  circuit(counted.as) += 1;
  not_in_flight(counted.as) += counted.waiting_or_held;
  unfinished_.in_flight += counted.in_flight;
}

void Census::forget(Endpoint& endpoint) {
  Counted& counted = endpoint.counted;
  if (counted.as == Counted::As::kNothing) {
    return;
  }
  circuit(counted.as) -= 1;
  not_in_flight(counted.as) -= counted.waiting_or_held;
  unfinished_.in_flight -= counted.in_flight;
  counted = {};
}

}  // namespace core
