// Removes what is old, or too much, so that the disk does not fill up: events that were committed
// before a time, or the oldest beyond a number of bytes, with their outcomes and unique keys; and
// hourly counts and circuit histories of that time.
//
// An event goes when all its deliveries have ended. One that has not stays where it is, with its
// payload, and goes with a later run. Nothing at or above the low-water mark goes: recovery counts
// it. Nothing of the last 24 hours goes either, because a producer may repeat its keys that long.
//
// A commit states which ranges of sequences are gone, takes them out of the totals, and deletes
// their unique keys (in slices, so that no commit gets long). Then sweep.h takes the records off
// the disk. After a crash the engine finishes that when it is opened. Sequences are never used
// again, so nothing can be deleted twice by mistake.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"

namespace store {

class Upkeep;

struct RetentionLimits {
  base::Instant before;    // what was committed earlier goes; unset: age does not matter
  uint64_t bytes_max = 0;  // of events and outcomes; 0: size does not matter
};

struct RetentionResult {
  uint64_t events = 0;      // that went
  uint64_t deliveries = 0;  // that went with them
  uint64_t bytes = 0;       // about what they took on disk
  uint64_t kept = 0;        // events as old that stay, because they are unfinished or damaged
  uint64_t rows = 0;        // of counts, histories and the index of minutes that went
  base::Sequence retained_from = 0;
};

// On the upkeep thread. kUnavailable if it was asked to stop: what it has done so far holds.
base::Result<RetentionResult> retain(Upkeep& upkeep, const RetentionLimits& limits);

}  // namespace store
