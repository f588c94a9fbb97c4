// What a run came to. All times count from the queueing of the first event.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "model/circuit_names.h"
#include "model/endpoint.h"
#include "simulate/series.h"

namespace simulate {

// Of the moment the run ended. created is the sum of the others.
struct Counts {
  uint64_t created = 0;
  uint64_t delivered = 0;
  uint64_t waiting = 0;
  uint64_t held = 0;
  uint64_t in_flight = 0;
  uint64_t dropped = 0;
  uint64_t cancelled = 0;
  uint64_t expired = 0;
};

struct Change {
  uint32_t endpoint = 1;  // numbered from 1
  base::Duration at;
  model::Transition transition;
};

// From the moment an endpoint was let out until everything that was due then had its attempt.
struct Drain {
  uint32_t endpoint = 1;
  base::Duration started;
  std::optional<base::Duration>
      ended;                // nothing if the circuit closed again before, or the run ended
  uint64_t deliveries = 0;  // held and due when it started
  uint64_t left = 0;        // of those, not yet attempted
};

struct Start {
  base::Duration at;
  uint32_t endpoint = 1;
  uint64_t event = 0;   // numbered from 1
  uint32_t number = 1;  // of the delivery's attempts
  bool is_probe = false;
};

struct Drops {
  uint64_t after_last_attempt = 0;  // the last attempt failed
  uint64_t while_held = 0;          // the last slot passed while the circuit was closed
  std::optional<base::Duration> first;
  std::optional<base::Duration> last;

  uint64_t count() const { return after_last_attempt + while_held; }
};

struct Peak {
  base::Duration at;
  uint64_t unfinished = 0;
};

struct Result {
  std::vector<base::Duration> slots;
  base::Duration ended_at;   // of the run
  bool is_complete = false;  // nothing was unfinished
  Counts deliveries;
  bool is_conserved = false;

  uint64_t attempts = 0;
  uint64_t failures = 0;
  uint64_t probes = 0;
  std::vector<Start> starts;  // only if asked for

  std::vector<Change> changes;
  std::vector<Drain> drains;
  Drops drops;
  Peak peak;
  Series series;
};

// The drain with the most deliveries, or nothing.
const Drain* largest_drain(const Result& result);

}  // namespace simulate
