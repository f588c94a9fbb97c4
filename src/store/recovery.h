// What a new owner of shards must know: endpoints with the heads of their queues, and the tail of
// deliveries above the low-water mark. Never the waiting deliveries themselves: there may be ten
// million.
#pragma once

#include <vector>

#include "base/result.h"
#include "model/section.h"
#include "store/rollups.h"
#include "store/tables.h"
#include "store/turn.h"

namespace store {

// The snapshots of these shards, in the order asked for. Counts again into `ledger` what the
// endpoints' records lack.
base::Result<std::vector<model::ShardSnapshot>> read_shards(
    const View& view, const std::vector<base::ShardId>& shards, const ShardOwners& owners,
    base::Sequence low_water, RollupLedger& ledger);

}  // namespace store
