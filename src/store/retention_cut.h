// Where retention cuts the order of commits: everything below may go.
//
// Nothing of the last day goes, whatever the limits: producers' keys must be known that long.
//
// By age it asks the index of minutes, by bytes the sizes of the tables. Then it moves the cut down
// to where a file of events begins, if that keeps things little longer than they were to be kept:
// files can be dropped whole, while the tombstones of single events, being far below new ones in
// the order of keys, make RocksDB rewrite files that it would not have touched.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "store/database.h"
#include "store/retention.h"
#include "store/standing.h"

namespace store {

// The first commit of a minute.
struct Minute {
  int64_t minute = 0;           // since the epoch
  base::Sequence sequence = 0;  // the first that was not given out before it
};
base::Result<std::vector<Minute>> read_minutes(const Database& database);

inline constexpr base::Sequence kAllSequences = (uint64_t{1} << 48U) - 1;

// What events and outcomes of this range take, in files and in memory.
uint64_t approximate_bytes(const Database& database, const SequenceRange& range);

// Not included. Never above the low-water mark.
base::Result<base::Sequence> find_cut(const Database& database, const RetentionLimits& limits,
                                      const Standing& standing);

}  // namespace store
