// A copy of an open store that can be restored anywhere, made while commits go on.
//
// A backup is a directory that looks like a data directory: a checkpoint of RocksDB (hard links on
// the same disk, copies on another) and the commit mark that belongs to it. It holds every commit
// up to some moment while it was made, and nothing of a later one. It appears under its name only
// when it is complete and synced; what was interrupted leaves at most "<target>.partial".
//
// It is not counted here: audit_directory() does that with a backup as with any data directory.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace store {

class Upkeep;

struct BackupResult {
  uint64_t commit = 0;  // the last one in it
  uint64_t events = 0;
  uint64_t unfinished = 0;  // deliveries
  uint64_t bytes = 0;       // that it takes, shared with the store if it is on the same disk
};

// On the upkeep thread. kConflict: the target is there already.
base::Result<BackupResult> back_up(Upkeep& upkeep, const std::string& target);

}  // namespace store
