// Rewrites parts of tables, so that what was deleted is in no file any more. RocksDB would do so in
// its own time, which may be never.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "store/keys.h"

namespace store {

class Upkeep;

struct TableRange {
  Family family;
  std::string from;   // empty: from the first key
  std::string until;  // empty: to the last
};

// On the upkeep thread. Everything that is in memory is written to files first, so that the logs
// that hold it go, too. kUnavailable: it was asked to stop.
base::Result<bool> rewrite(Upkeep& upkeep, const std::vector<TableRange>& ranges);

}  // namespace store
