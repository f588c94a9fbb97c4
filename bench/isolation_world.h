// One server for bench_isolation: production loop, transport, dispatcher and core, an in-memory
// store, one healthy endpoint and its neighbours. Lives in a process of its own.
#pragma once

#include <cstdint>
#include <vector>

namespace bench {

enum class Neighbours : uint8_t { kNone, kSilent, kUnroutable };

struct Case {
  Neighbours neighbours = Neighbours::kNone;
  uint32_t endpoints = 1000;  // of the neighbours
  uint16_t answering_port = 0;
  uint16_t silent_port = 0;
};

struct Figures {
  double p50_us = 0;
  double p99_us = 0;
  double per_second = 0;
  double per_cpu_second = 0;          // the same, by what the process used
  double core_share = 0;              // of a processor, at the steady rate
  uint64_t neighbours_in_flight = 0;  // while measured: shows that the burden was there
  uint64_t failures = 0;              // of the healthy endpoint; none is expected
};

Figures measure(const Case& which);

}  // namespace bench
