// Removes the small rows of a time that is past: hourly counts, histories of circuits, and the
// index of minutes below what retention has removed.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "base/time.h"

namespace store {

class Upkeep;

// On the upkeep thread. How many rows went. `before` unset: only of the index of minutes.
base::Result<uint64_t> prune(Upkeep& upkeep, base::Instant before);

}  // namespace store
