#include "store/prune.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/database.h"
#include "store/keys.h"
#include "store/retention_cut.h"
#include "store/upkeep.h"

namespace store {
namespace {

// A table in which keys are in the order of time below a prefix: behind the first that is young
// enough all others of that prefix are.
template <class IsOld>
class OldRows {
 public:
  OldRows(Family family, size_t prefix_size, IsOld is_old)
      : family_(family), prefix_size_(prefix_size), is_old_(std::move(is_old)) {}

  base::Result<uint64_t> remove(Upkeep& upkeep) {
    uint64_t rows = 0;
    while (!is_complete_) {
      std::vector<std::string> keys;
      {
        TRY(const Gate::Visit visit, upkeep.stay());
        TRY(keys, next(visit.view().database));
      }
      rows += keys.size();
      TRY([[maybe_unused]] const bool is_erased, upkeep.erase(family_, std::move(keys)));
    }
    return rows;
  }

 private:
  base::Result<std::vector<std::string>> next(const Database& database) {
    std::vector<std::string> keys;
    Scan scan(database, family_, from_, {}, Scan::Length::kLong);
    while (scan.is_valid() && keys.size() < Upkeep::kSliceKeys) {
      if (is_old_(scan.key())) {
        keys.emplace_back(scan.key());
        scan.next();
      } else {
        scan.seek(after_prefix(std::string(scan.key().substr(0, prefix_size_))));
      }
    }
    TRY([[maybe_unused]] const bool is_read, scan.status());
    is_complete_ = !scan.is_valid();
    from_ = is_complete_ ? std::string() : std::string(scan.key());
    return keys;
  }

  Family family_;
  size_t prefix_size_;
  IsOld is_old_;
  std::string from_;
  bool is_complete_ = false;
};

base::Result<uint64_t> prune_rollups(Upkeep& upkeep, base::Instant before) {
  return OldRows(
             Family::kRollups, kRollupPrefixSize,
             [hour = before.hour()](std::string_view key) { return hour_of_rollup(key) < hour; })
      .remove(upkeep);
}

base::Result<uint64_t> prune_history(Upkeep& upkeep, base::Instant before) {
  return OldRows(Family::kHistory, kHistoryPrefixSize,
                 [before](std::string_view key) { return time_of_history(key) < before; })
      .remove(upkeep);
}

// The last one before what is retained stays: without it the minute that follows would seem to
// begin with what it ends with.
base::Result<uint64_t> prune_minutes(Upkeep& upkeep) {
  std::vector<std::string> keys;
  {
    TRY(const Gate::Visit visit, upkeep.stay());
    TRY(const std::vector<Minute> minutes, read_minutes(visit.view().database));
    const auto kept =
        std::ranges::lower_bound(minutes, upkeep.standing().retained_from, {}, &Minute::sequence);
    for (auto minute = minutes.begin(); minute != kept && minute + 1 != kept; ++minute) {
      keys.push_back(minute_key(minute->minute));
    }
  }
  const uint64_t rows = keys.size();
  TRY([[maybe_unused]] const bool is_erased, upkeep.erase(Family::kMeta, std::move(keys)));
  return rows;
}

}  // namespace

base::Result<uint64_t> prune(Upkeep& upkeep, base::Instant before) {
  uint64_t rows = 0;
  if (before.is_set()) {
    TRY(const uint64_t counts, prune_rollups(upkeep, before));
    TRY(const uint64_t history, prune_history(upkeep, before));
    rows += counts + history;
  }
  TRY(const uint64_t minutes, prune_minutes(upkeep));
  return rows + minutes;
}

}  // namespace store
