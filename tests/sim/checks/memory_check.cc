#include "tests/sim/checks/memory_check.h"

#include <fmt/format.h>

namespace checks {

void MemoryCheck::bound(base::Instant at, const char* what, uint64_t count, uint64_t most) {
  if (count > most) {
    report_.add("memory-bound", at, fmt::format("{} {}, at most {}", count, what, most));
  }
}

void MemoryCheck::counts(base::Instant at, const Counts& counts) {
  bound(at, "first attempts without a record at one endpoint", counts.memory_only_max,
        settings().memory_only_max);
  bound(at, "due deliveries in one window", counts.window_size_max, settings().window_max);
  bound(at, "due deliveries in the window of a closed circuit", counts.held_window_max, 1);
  bound(at, "attempts in memory", counts.attempts_in_memory, settings().in_flight_max);
}

}  // namespace checks
