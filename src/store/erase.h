// Erases a tenant: its events with payloads and outcomes, unique keys, hourly counts, circuit
// histories, endpoints and documents of every table. Then the files that held them are rewritten,
// so that nothing of it is left in the tables or logs of the data directory either.
//
// Whoever asks has stopped the tenant's publishes and taken its endpoints from the core: what comes
// in while the erase is under way may stay. A tenant with unfinished deliveries is refused; cancel
// them first. Copies elsewhere (backups) are not touched. The bounds of files that are gone, which
// may be a producer's key, stay in RocksDB's manifest until the store is opened the next time.
//
// What goes is counted as expired. A crash, or a stop, leaves it half done and the totals right;
// asking again finishes it. A row ("erasing", with the ranges to be rewritten) remembers what the
// first attempt has deleted.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "base/result.h"

namespace store {

class Upkeep;

struct EraseResult {
  uint64_t events = 0;
  uint64_t deliveries = 0;
  uint64_t endpoints = 0;
  uint64_t rows = 0;  // of documents, counts and histories
};

// On the upkeep thread, in bounded commits. kConflict, with their number: deliveries are
// unfinished. kUnavailable: it was asked to stop.
base::Result<EraseResult> erase_tenant(Upkeep& upkeep, base::TenantId tenant);

}  // namespace store
