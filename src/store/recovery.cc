#include "store/recovery.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"

namespace store {
namespace {

using base::DeliveryId;
using base::EndpointId;
using base::ShardId;
using model::Delivery;
using model::EndpointSnapshot;

using Endpoints = std::map<EndpointId, EndpointSnapshot>;

std::string endpoint_until(ShardId shard) {
  return shard == base::kShardCount - 1 ? std::string()
                                        : endpoint_key(EndpointId::make(shard + 1, 0));
}

base::Result<bool> read_endpoints(const View& view, ShardId shard, Endpoints& endpoints,
                                  RollupLedger& ledger) {
  Scan scan(view.database, Family::kEndpoints, endpoint_key(EndpointId::make(shard, 0)),
            endpoint_until(shard));
  for (; scan.is_valid(); scan.next()) {
    TRY(const StoredEndpoint stored, decode_endpoint(scan.key(), scan.value()));
    const EndpointId id = stored.record.id;
    endpoints[id].record = stored.record;
    for (const WaitingCount& count : stored.waiting) {
      ledger.add(id, count);
    }
  }
  return scan.status();
}

// Jumps from the head of one range to the next, past everything between.
base::Result<bool> read_heads(const View& view, ShardId shard, Endpoints& endpoints) {
  Scan scan(view.database, Family::kDue, endpoint_key(EndpointId::make(shard, 0)),
            endpoint_until(shard));
  while (scan.is_valid()) {
    const std::optional<DuePlace> place = parse_due_key(scan.key());
    if (!place) {
      return base::fail(base::ErrorCode::kCorrupt, "a key of the due index is malformed");
    }
    const auto [entry, is_new] = endpoints.try_emplace(place->endpoint);
    if (is_new) {
      TRY(const Delivery any, decode_delivery(scan.key(), scan.value()));
      entry->second.record.id = place->endpoint;
      entry->second.record.tenant = any.tenant;
    }
    std::vector<model::QueueHead>& heads = entry->second.queues;
    if (heads.empty() || heads.back().queue != place->queue) {
      heads.push_back({.queue = place->queue});
    }
    (place->range == model::DueRange::kFirst ? heads.back().first_due : heads.back().retry_due) =
        place->at.due;
    scan.seek(after_prefix(due_prefix(place->endpoint, place->queue, place->range)));
  }
  return scan.status();
}

base::Result<base::Instant> read_next_expiry(const View& view, ShardId shard) {
  const std::string prefix(1, static_cast<char>(shard));
  Scan scan(view.database, Family::kExpiry, prefix, after_prefix(prefix));
  TRY([[maybe_unused]] const bool is_read, scan.status());
  if (!scan.is_valid()) {
    return base::Instant::never();
  }
  const std::optional<model::ExpiryKey> first = parse_expiry_key(scan.key());
  if (!first) {
    return base::fail(base::ErrorCode::kCorrupt, "a key of the expiry order is malformed");
  }
  return first->last_slot;
}

// Walks events and outcomes side by side from the low-water mark on.
class Tail {
 public:
  Tail(const View& view, base::Sequence from)
      : view_(view),
        events_(view.database, Family::kEvents, sequence_key(from), {}),
        outcomes_(view.database, Family::kOutcomes, outcome_key(DeliveryId::make(from, 0), 0), {}) {
  }

  // Calls `take(entry)` for each delivery, in order of ids.
  template <class Take>
  base::Result<bool> read(const std::array<bool, base::kShardCount>& wanted, const Take& take) {
    for (; events_.is_valid(); events_.next()) {
      TRY(const EventHead head, decode_event_head(events_.key(), events_.value()));
      for (const Delivery& delivery : head.deliveries) {
        if (wanted[delivery.endpoint.shard()]) {
          TRY(model::TailDelivery entry, judge(delivery));
          take(std::move(entry));
        }
      }
    }
    TRY([[maybe_unused]] const bool is_read, outcomes_.status());
    return events_.status();
  }

 private:
  base::Result<model::TailDelivery> judge(const Delivery& queued) {
    model::TailDelivery entry{.delivery = queued, .success = {}, .unfinished = true};
    bool was_attempted = false;
    while (outcomes_.is_valid() && delivery_of_outcome(outcomes_.key()) < queued.id) {
      outcomes_.next();
    }
    for (; outcomes_.is_valid() && delivery_of_outcome(outcomes_.key()) == queued.id;
         outcomes_.next()) {
      TRY(const OutcomeRecord outcome, decode_outcome(outcomes_.key(), outcomes_.value()));
      was_attempted = true;
      entry.unfinished = !outcome.end.has_value();
      if (outcome.end == model::EndState::kDelivered) {
        entry.success = outcome.attempt;
      }
    }
    if (entry.unfinished) {
      TRY([[maybe_unused]] const bool is_read, find_record(entry, was_attempted));
    }
    return entry;
  }

  // A delivery that got a record after it was queued is as that record says.
  base::Result<bool> find_record(model::TailDelivery& entry, bool was_attempted) {
    const std::string key = expiry_key(entry.delivery);
    TRY(const std::optional<std::string> record, view_.database.get(Family::kExpiry, key));
    if (record) {
      TRY(entry.delivery, decode_delivery(key, *record));
    } else if (was_attempted || entry.delivery.recorded) {
      return base::fail(base::ErrorCode::kCorrupt, "a waiting delivery has no record");
    }
    return true;
  }

  const View& view_;
  Scan events_;
  Scan outcomes_;
};

void count_again(const model::TailDelivery& entry, const Endpoints& endpoints,
                 RollupLedger& ledger) {
  if (!entry.success) {
    return;
  }
  const auto found = endpoints.find(entry.delivery.endpoint);
  const uint64_t counted = found == endpoints.end() ? 0 : found->second.record.attempts();
  if (entry.success->ordinal <= counted) {
    return;
  }
  const model::DeliveryChange change{.delivery = entry.delivery.id,
                                     .attempt = entry.success,
                                     .removed = {},
                                     .placed = {},
                                     .end = model::EndState::kDelivered};
  ledger.add(entry.delivery.endpoint, {.subscription = entry.delivery.subscription,
                                       .hour = entry.success->finished_at.hour(),
                                       .counts = counts_of(change)});
}

}  // namespace

base::Result<std::vector<model::ShardSnapshot>> read_shards(const View& view,
                                                            const std::vector<ShardId>& shards,
                                                            const ShardOwners& owners,
                                                            base::Sequence low_water,
                                                            RollupLedger& ledger) {
  std::vector<model::ShardSnapshot> snapshots;
  std::vector<Endpoints> endpoints(shards.size());
  std::array<bool, base::kShardCount> wanted{};
  std::array<size_t, base::kShardCount> place{};
  for (size_t index = 0; index < shards.size(); ++index) {
    const ShardId shard = shards[index];
    wanted[shard] = true;
    place[shard] = index;
    ledger.forget(shard);
    model::ShardSnapshot& snapshot = snapshots.emplace_back();
    snapshot.shard = shard;
    snapshot.epoch = owners[shard].epoch;
    snapshot.low_water = low_water;
    TRY([[maybe_unused]] const bool has_records,
        read_endpoints(view, shard, endpoints[index], ledger));
    TRY([[maybe_unused]] const bool has_heads, read_heads(view, shard, endpoints[index]));
    TRY(snapshot.next_expiry, read_next_expiry(view, shard));
  }
  Tail tail(view, low_water);
  TRY([[maybe_unused]] const bool is_read, tail.read(wanted, [&](model::TailDelivery entry) {
    const size_t index = place[entry.delivery.endpoint.shard()];
    count_again(entry, endpoints[index], ledger);
    snapshots[index].tail.push_back(std::move(entry));
  }));
  for (size_t index = 0; index < shards.size(); ++index) {
    for (auto& [id, endpoint] : endpoints[index]) {
      snapshots[index].endpoints.push_back(std::move(endpoint));
    }
  }
  return snapshots;
}

}  // namespace store
