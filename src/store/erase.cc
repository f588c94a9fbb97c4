#include "store/erase.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/codec.h"
#include "store/database.h"
#include "store/event_walk.h"
#include "store/keys.h"
#include "store/retention_cut.h"
#include "store/rewrite.h"
#include "store/sweep.h"
#include "store/turn.h"
#include "store/upkeep.h"

namespace store {
namespace {

using base::Sequence;

constexpr Sequence kClusterGap = 10'000;  // events of others that are rewritten along rather
constexpr size_t kClustersMax = 4096;

std::unexpected<base::Error> stopped() {
  return base::fail(base::ErrorCode::kUnavailable,
                    "the erase was interrupted, because the store is being closed or reopened; "
                    "ask again");
}

// Ranges in order that cover all of these, with less than `gap` between what is one range.
std::vector<SequenceRange> covering(std::vector<SequenceRange> ranges, Sequence gap) {
  std::ranges::sort(ranges, {}, &SequenceRange::from);
  std::vector<SequenceRange> joined;
  for (const SequenceRange& range : ranges) {
    if (joined.empty() || range.from > joined.back().until + gap) {
      joined.push_back(range);
    } else {
      joined.back().until = std::max(joined.back().until, range.until);
    }
  }
  return joined.size() <= kClustersMax ? joined : covering(std::move(joined), gap * 2);
}

// Below the low-water mark everything unfinished is in the expiry order, above it may not be.
struct UnfinishedScans {
  UnfinishedScans(const Database& database, const Sequence& low_water)
      : expiry(database, Family::kExpiry, {}, {}, Scan::Length::kLong),
        tail(database, {.from = low_water, .until = kAllSequences}) {}

  Scan expiry;
  EventScans tail;
};

uint64_t count_unfinished(const EventWalk& walk) {
  return static_cast<uint64_t>(
      std::ranges::count_if(walk.fates(), [](const Fate& fate) { return !fate.end; }));
}

// What one commit takes away.
struct Slice {
  std::vector<std::string> events;
  std::vector<std::string> outcomes;
  Removal removal;

  bool is_full() const { return events.size() + outcomes.size() >= Upkeep::kSliceKeys; }
  bool is_empty() const { return events.empty() && outcomes.empty(); }
};

class Erase {
 public:
  Erase(Upkeep& upkeep, base::TenantId tenant)
      : upkeep_(upkeep), tenant_(tenant), row_key_(erasing_key(tenant)) {}

  base::Result<EraseResult> run() {
    // What retention has removed and not swept yet would be found, too.
    TRY([[maybe_unused]] const bool is_swept, finish_removal(upkeep_));
    TRY([[maybe_unused]] const bool is_recalled, recall_clusters());
    TRY(const uint64_t unfinished, count_all_unfinished());
    if (unfinished > 0) {
      return refusal(unfinished);
    }
    TRY([[maybe_unused]] const bool has_events, erase_events());
    TRY([[maybe_unused]] const bool has_endpoints, erase_endpoints());
    TRY([[maybe_unused]] const bool has_rest, erase_rows());
    TRY([[maybe_unused]] const bool is_rewritten, rewrite(upkeep_, touched()));
    TRY([[maybe_unused]] const bool is_over, upkeep_.erase(Family::kMeta, {row_key_}));
    return result_;
  }

 private:
  static std::unexpected<base::Error> refusal(uint64_t unfinished) {
    return base::fail(base::ErrorCode::kConflict, "the tenant has " + std::to_string(unfinished) +
                                                      " unfinished deliveries; cancel them first");
  }

  base::Result<bool> recall_clusters() {
    TRY(const Gate::Visit visit, upkeep_.stay());
    TRY(const std::optional<std::string> row, visit.view().database.get(Family::kMeta, row_key_));
    if (row) {
      TRY(clusters_, decode_ranges(row_key_, *row));
    }
    return true;
  }

  bool is_ours(const EventWalk& walk) const {
    return !walk.is_damaged() && walk.head().tenant == tenant_;
  }

  base::Result<uint64_t> count_all_unfinished() {
    const Sequence low_water = upkeep_.standing().low_water;
    TRY(const auto held, upkeep_.hold<UnfinishedScans>(low_water));
    uint64_t count = 0;
    Scan& expiry = held.reading->expiry;
    for (; expiry.is_valid() && !upkeep_.wants_out(); expiry.next()) {
      TRY(const model::Delivery waiting, decode_delivery(expiry.key(), expiry.value()));
      count += waiting.tenant == tenant_ && waiting.id.sequence() < low_water ? 1 : 0;
    }
    TRY([[maybe_unused]] const bool is_read, expiry.status());
    EventWalk walk(held.reading->tail, {}, [](const std::string&) {});
    while (!upkeep_.wants_out() && walk.next()) {
      count += is_ours(walk) ? count_unfinished(walk) : 0;
    }
    if (upkeep_.wants_out()) {
      return stopped();
    }
    TRY([[maybe_unused]] const bool is_walked, walk.status());
    return count;
  }

  // --- Events, outcomes, unique keys ---

  base::Result<bool> erase_events() {
    for (Sequence from = 0; from < kAllSequences;) {
      Slice slice;
      TRY(from, take_slice(from, slice));
      if (!slice.is_empty()) {
        TRY([[maybe_unused]] const bool is_erased, commit_slice(std::move(slice)));
      }
    }
    return true;
  }

  // Returns where the next slice begins.
  base::Result<Sequence> take_slice(Sequence from, Slice& slice) {
    TRY(const auto held,
        upkeep_.hold<EventScans>(SequenceRange{.from = from, .until = kAllSequences}));
    EventWalk walk(*held.reading, {}, [](const std::string&) {});
    bool has_next = true;
    while (has_next && !slice.is_full()) {
      if (upkeep_.wants_out()) {
        return stopped();
      }
      has_next = walk.next();
      take_leftovers(walk, slice);
      if (has_next && is_ours(walk)) {
        if (const uint64_t unfinished = count_unfinished(walk); unfinished > 0) {
          return refusal(unfinished);
        }
        take_event(walk, slice);
      }
    }
    TRY([[maybe_unused]] const bool is_read, walk.status());
    return has_next ? walk.sequence() + 1 : kAllSequences;
  }

  void take_event(const EventWalk& walk, Slice& slice) {
    slice.events.push_back(sequence_key(walk.sequence()));
    slice.outcomes.insert(slice.outcomes.end(), walk.outcome_keys().begin(),
                          walk.outcome_keys().end());
    count_ends(walk, slice.removal.removed);
    if (!walk.head().unique_key.empty()) {
      slice.removal.unique_keys.push_back(unique_key(tenant_, walk.head().unique_key));
    }
    note_place(walk.sequence());
  }

  // Outcomes of events that retention has removed; nobody knows any more whose they were.
  void take_leftovers(const EventWalk& walk, Slice& slice) {
    for (const std::string& key : walk.stray_keys()) {
      const Sequence sequence = delivery_of_outcome(key).sequence();
      if (sequence < upkeep_.standing().retained_from) {
        slice.outcomes.push_back(key);
        note_place(sequence);
      }
    }
  }

  void note_place(Sequence sequence) {
    if (clusters_.empty() || !clusters_.back().contains(sequence)) {
      clusters_.push_back({.from = sequence, .until = sequence + 1});
    }
  }

  base::Result<bool> commit_slice(Slice slice) {
    clusters_ = covering(std::move(clusters_), kClusterGap);
    result_.events += slice.removal.removed.events;
    result_.deliveries += slice.removal.removed.ended();
    const uint64_t bytes = 64 * (slice.events.size() + slice.outcomes.size());
    const auto apply = [slice = std::move(slice), row_key = row_key_,
                        row = encode_ranges(row_key_, clusters_)](Turn& turn) {
      for (const std::string& key : slice.events) {
        turn.erase(Family::kEvents, key);
      }
      for (const std::string& key : slice.outcomes) {
        turn.erase(Family::kOutcomes, key);
      }
      turn.remove(slice.removal);
      turn.remember(row_key, row);
    };
    return upkeep_.commit(apply, bytes);
  }

  // --- Endpoints, and what has a tenant or an endpoint at the beginning of its key ---

  // Their records last: whoever asks again finds the histories by them.
  base::Result<bool> erase_endpoints() {
    TRY(const std::vector<base::EndpointId> endpoints, find_endpoints());
    for (const base::EndpointId endpoint : endpoints) {
      TRY([[maybe_unused]] const bool has_history,
          erase_prefix(Family::kHistory, endpoint_key(endpoint)));
    }
    result_.endpoints = endpoints.size();
    return upkeep_.commit(
        [endpoints](Turn& turn) {
          for (const base::EndpointId endpoint : endpoints) {
            turn.erase_endpoint(endpoint);
          }
        },
        64 * endpoints.size());
  }

  base::Result<std::vector<base::EndpointId>> find_endpoints() {
    TRY(const Gate::Visit visit, upkeep_.stay());
    Scan scan(visit.view().database, Family::kEndpoints, {}, {}, Scan::Length::kLong);
    std::vector<base::EndpointId> endpoints;
    for (; scan.is_valid(); scan.next()) {
      const auto stored = decode_endpoint(scan.key(), scan.value());
      if (stored.has_value() && stored->record.tenant == tenant_) {
        endpoints.push_back(stored->record.id);
      }
    }
    TRY([[maybe_unused]] const bool is_read, scan.status());
    return endpoints;
  }

  base::Result<bool> erase_rows() {
    for (uint32_t table = 0; table <= 0xff; ++table) {
      TRY([[maybe_unused]] const bool is_erased,
          erase_prefix(Family::kDocuments,
                       document_prefix(static_cast<model::Table>(table), tenant_)));
    }
    return erase_prefix(Family::kRollups, tenant_prefix(tenant_));
  }

  base::Result<bool> erase_prefix(Family family, const std::string& prefix) {
    bool is_complete = false;
    while (!is_complete) {
      std::vector<std::string> keys;
      {
        TRY(const Gate::Visit visit, upkeep_.stay());
        Scan scan(visit.view().database, family, prefix, after_prefix(prefix));
        for (; scan.is_valid() && keys.size() < Upkeep::kSliceKeys; scan.next()) {
          keys.emplace_back(scan.key());
        }
        TRY([[maybe_unused]] const bool is_read, scan.status());
        is_complete = !scan.is_valid();
      }
      result_.rows += keys.size();
      TRY([[maybe_unused]] const bool is_erased, upkeep_.erase(family, std::move(keys)));
    }
    return true;
  }

  // --- Files ---

  std::vector<TableRange> touched() const {
    std::vector<TableRange> ranges;
    for (const SequenceRange& cluster : clusters_) {
      for (const Family family : {Family::kEvents, Family::kOutcomes}) {
        KeyRange keys = key_range(family, cluster);
        ranges.push_back({family, std::move(keys.from), std::move(keys.until)});
      }
    }
    const std::string prefix = tenant_prefix(tenant_);
    for (const Family family : {Family::kUnique, Family::kRollups}) {
      ranges.push_back({family, prefix, after_prefix(prefix)});
    }
    // In the order of endpoints, subscriptions or times: as a whole. They are small, or should be.
    for (const Family family : {Family::kEndpoints, Family::kHistory, Family::kDocuments,
                                Family::kDue, Family::kExpiry, Family::kLines}) {
      ranges.push_back({family, {}, {}});
    }
    return ranges;
  }

  Upkeep& upkeep_;
  base::TenantId tenant_;
  std::string row_key_;
  EraseResult result_;
  std::vector<SequenceRange> clusters_;  // where its events were
};

}  // namespace

base::Result<EraseResult> erase_tenant(Upkeep& upkeep, base::TenantId tenant) {
  return Erase(upkeep, tenant).run();
}

}  // namespace store
