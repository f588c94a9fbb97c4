// The second half of a removal (retention.h, erase.h): takes the records of events that are gone
// off the disk.
//
// Two ways to delete do not mix: dropping whole files costs nothing, but a file that is dropped may
// hold the tombstone of a record in a file that stays, and that record would be back. Hence the
// order: the ranges were stated in the database before, then files are dropped, then what is left
// (or has come back) in the ranges is deleted key by key, then the statement goes. Outcomes without
// an event are not deleted: nobody sees them, and a file takes them along in a later run.
//
// Key by key, because DeleteRange breaks the memtables of tables that are filled with insert hints:
// RocksDB 7.8 follows a hint of the points among the ranges, and aborts.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "store/standing.h"

namespace store {

class Upkeep;

// On the upkeep thread, after a commit that has stated these ranges. About how many bytes they
// took.
base::Result<uint64_t> sweep(Upkeep& upkeep, const std::vector<SequenceRange>& ranges);

// Sweeps what a crash, or a stop, has left stated and not swept.
base::Result<bool> finish_removal(Upkeep& upkeep);

}  // namespace store
