// Hourly counts from the rollup rows and, for the hours that are not over, from where they wait
// (rollups.h says where that is).
//
// Like DeliveryWalk it shows the moment at which it was made.
#pragma once

#include <cstdint>
#include <map>

#include "base/result.h"
#include "store/database.h"
#include "store/queries.h"

namespace store {

class StatsReading {
 public:
  // Nothing may be written while it is made. `newest`: what is in no row yet, of the endpoints that
  // the query names.
  StatsReading(const Database& database, StatsQuery query, const WaitingCounts& newest);

  // Once.
  base::Result<Stats> read();

 private:
  base::Result<bool> read_rows();
  void add(int64_t hour, const Counts& counts);

  StatsQuery query_;
  RollupKind kind_;
  Scan rows_;
  std::map<int64_t, Counts> hours_;
  bool is_complete_ = true;
};

}  // namespace store
