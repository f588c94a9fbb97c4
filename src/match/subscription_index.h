// Finds the subscriptions that want an event, among a million of a hundred thousand tenants.
//
// Threads: any may call anything at any time. Tenants are spread over kShards groups, each behind a
// lock that readers share: a match holds its group's for a microsecond or two, a change for about
// as long. That is the simplest thing that is correct and keeps every subscription in memory once.
// Copies per reactor would cost the memory again, and copying a tenant for each change would make a
// change in a tenant of 100 000 as slow as 100 000 changes. A change is seen by every match that
// begins after it returned.
//
// It keeps nothing durable and reads nothing from disk: whoever stores subscriptions fills it at
// the start and tells it of changes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "base/flat_table.h"
#include "base/ids.h"
#include "base/result.h"
#include "match/subscription.h"
#include "match/tenant_subscriptions.h"

namespace match {

class SubscriptionIndex {
 public:
  // False if the tenant has one with its id; then nothing changes.
  [[nodiscard]] bool add(Subscription subscription);
  // False if the tenant has none with its id; then nothing changes. No match sees neither or both.
  [[nodiscard]] bool replace(Subscription subscription);
  // False if there is none.
  [[nodiscard]] bool remove(base::TenantId tenant, base::SubscriptionId id);
  void remove_tenant(base::TenantId tenant);

  // Asks for what match() will need of the tenant to be brought into the cache. With many tenants
  // it is in none: whoever asks before the payload is parsed has it when the parse is done.
  void prefetch(base::TenantId tenant) const;

  // Appends those that want the event, in the order of their ids. kInvalid: the payload is too
  // large for the number of filters it would have to be compared with; nothing is appended.
  [[nodiscard]] base::Result<size_t> match(const EventFacts& event,
                                           std::vector<Match>& matches) const;
  // Why match() found nothing, in a sentence.
  std::string explain_no_match(const EventFacts& event) const;

  std::optional<base::EndpointId> endpoint_of(base::TenantId tenant, base::SubscriptionId id) const;
  std::optional<std::string> url_of(base::TenantId tenant, base::SubscriptionId id) const;

  size_t size(base::TenantId tenant) const;

 private:
  static constexpr size_t kShards = 64;

  struct alignas(64) Shard {
    mutable std::shared_mutex mutex;
    // Guarded by the mutex. In the table itself: with many tenants each pointer is a cache miss.
    base::FlatTable<TenantSubscriptions> tenants;
  };

  Shard& shard_of(base::TenantId tenant) { return shards_[base::mix(tenant.value) / kShardStep]; }
  const Shard& shard_of(base::TenantId tenant) const {
    return shards_[base::mix(tenant.value) / kShardStep];
  }

  // The top bits choose the shard; its table uses the low ones.
  static constexpr uint64_t kShardStep = UINT64_MAX / kShards + 1;

  std::array<Shard, kShards> shards_;
};

}  // namespace match
