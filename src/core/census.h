// What all endpoints add up to. Monitoring asks for it again and again, and must not walk through a
// million of them each time: so every endpoint knows as what it was counted last, and whoever has
// changed it counts it anew before the step ends. refresh() does.
#pragma once

#include <cstdint>

#include "core/endpoint.h"

namespace core {

// Deliveries that have not ended, by what they are called.
struct Unfinished {
  uint64_t waiting = 0;
  uint64_t held = 0;
  uint64_t in_flight = 0;

  uint64_t sum() const { return waiting + held + in_flight; }
  friend bool operator==(const Unfinished&, const Unfinished&) = default;
};

// Endpoints by their circuit; a paused one counts as paused, whatever its state.
struct CircuitCounts {
  uint64_t active = 0;
  uint64_t disabled = 0;
  uint64_t frozen = 0;
  uint64_t paused = 0;

  friend bool operator==(const CircuitCounts&, const CircuitCounts&) = default;
};

class Census {
 public:
  // For the first time, or instead of what it was counted as before.
  void count(Endpoint& endpoint);
  // Not any more.
  void forget(Endpoint& endpoint);

  const Unfinished& unfinished() const { return unfinished_; }
  const CircuitCounts& circuits() const { return circuits_; }

 private:
  uint64_t& circuit(Counted::As as);
  uint64_t& not_in_flight(Counted::As as);

  Unfinished unfinished_;
  CircuitCounts circuits_;
};

}  // namespace core
