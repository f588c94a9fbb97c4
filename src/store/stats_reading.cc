#include "store/stats_reading.h"

#include <limits>
#include <string>
#include <utility>

#include "store/keys.h"
#include "store/rollups.h"

namespace store {
namespace {

uint64_t first_id(const StatsQuery& query) {
  if (query.subscription) {
    return query.subscription->value;
  }
  return query.endpoint ? query.endpoint->value : 0;
}

}  // namespace

StatsReading::StatsReading(const Database& database, StatsQuery query, const WaitingCounts& newest)
    : query_(std::move(query)),
      kind_(query_.subscription ? RollupKind::kSubscription : RollupKind::kEndpoint),
      rows_(database, Family::kRollups,
            rollup_key(query_.tenant, kind_, first_id(query_), query_.from_hour),
            after_prefix(rollup_key(query_.tenant, kind_, 0, 0).substr(0, 9))) {
  for (const WaitingCount& count : newest) {
    if (!query_.subscription || count.subscription == *query_.subscription) {
      add(count.hour, count.counts);
    }
  }
}

base::Result<Stats> StatsReading::read() {
  TRY([[maybe_unused]] const bool is_read, read_rows());
  Stats stats{.hours = {}, .is_complete = is_complete_};
  stats.hours.reserve(hours_.size());
  for (const auto& [hour, counts] : hours_) {
    stats.hours.push_back({.hour = hour, .counts = counts});
  }
  return stats;
}

// Of each id only the hours asked for: jumps over all others.
base::Result<bool> StatsReading::read_rows() {
  const bool is_one = query_.endpoint || query_.subscription;
  for (uint32_t records = 0; rows_.is_valid(); ++records) {
    const uint64_t id = id_of_rollup(rows_.key());
    const int64_t hour = hour_of_rollup(rows_.key());
    if (is_one && id != first_id(query_)) {
      break;
    }
    if (records >= query_.records_max) {
      is_complete_ = false;
      break;
    }
    if (hour < query_.from_hour) {
      rows_.seek(rollup_key(query_.tenant, kind_, id, query_.from_hour));
    } else if (hour < query_.until_hour) {
      TRY(const Counts counts, decode_counts(rows_.value()));
      add(hour, counts);
      rows_.next();
    } else if (is_one || id == std::numeric_limits<uint64_t>::max()) {
      break;
    } else {
      rows_.seek(rollup_key(query_.tenant, kind_, id + 1, query_.from_hour));
    }
  }
  return rows_.status();
}

void StatsReading::add(int64_t hour, const Counts& counts) {
  if (hour >= query_.from_hour && hour < query_.until_hour) {
    hours_[hour] += counts;
  }
}

}  // namespace store
