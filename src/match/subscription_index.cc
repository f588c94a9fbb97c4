#include "match/subscription_index.h"

#include <fmt/core.h>

#include <mutex>
#include <utility>

#include "match/quote.h"

namespace match {

bool SubscriptionIndex::add(Subscription subscription) {
  Shard& shard = shard_of(subscription.tenant);
  const std::unique_lock lock(shard.mutex);
  TenantSubscriptions& tenant = shard.tenants.at(subscription.tenant.value);
  return tenant.add(subscription, std::move(subscription.filter));
}

bool SubscriptionIndex::replace(Subscription subscription) {
  Shard& shard = shard_of(subscription.tenant);
  const std::unique_lock lock(shard.mutex);
  TenantSubscriptions* tenant = shard.tenants.find(subscription.tenant.value);
  return tenant != nullptr && tenant->remove(subscription.id) &&
         tenant->add(subscription, std::move(subscription.filter));
}

bool SubscriptionIndex::remove(base::TenantId tenant, base::SubscriptionId id) {
  Shard& shard = shard_of(tenant);
  const std::unique_lock lock(shard.mutex);
  TenantSubscriptions* found = shard.tenants.find(tenant.value);
  if (found == nullptr || !found->remove(id)) {
    return false;
  }
  if (found->size() == 0) {
    shard.tenants.erase(tenant.value);
  }
  return true;
}

void SubscriptionIndex::remove_tenant(base::TenantId tenant) {
  Shard& shard = shard_of(tenant);
  const std::unique_lock lock(shard.mutex);
  shard.tenants.erase(tenant.value);
}

void SubscriptionIndex::prefetch(base::TenantId tenant) const {
  const Shard& shard = shard_of(tenant);
  const std::shared_lock lock(shard.mutex);
  if (const TenantSubscriptions* found = shard.tenants.find(tenant.value); found != nullptr) {
    found->prefetch();
  }
}

base::Result<size_t> SubscriptionIndex::match(const EventFacts& event,
                                              std::vector<Match>& matches) const {
  const size_t before = matches.size();
  Effort effort;
  {
    const Shard& shard = shard_of(event.tenant);
    const std::shared_lock lock(shard.mutex);
    const TenantSubscriptions* tenant = shard.tenants.find(event.tenant.value);
    if (tenant != nullptr) {
      tenant->match(event, effort, matches);
    }
  }
  if (effort.is_exhausted()) {
    matches.resize(before);
    return base::fail(base::ErrorCode::kInvalid,
                      "the payload has too many members to compare it with all filters of this "
                      "tenant; publish smaller objects and lists");
  }
  return matches.size() - before;
}

std::string SubscriptionIndex::explain_no_match(const EventFacts& event) const {
  const size_t count = size(event.tenant);
  if (count == 0) {
    return "the tenant has no subscriptions";
  }
  return fmt::format(
      "none of the tenant's {} subscription{} asks for type {}, object code {} and object id {} "
      "with filters that this event passes",
      count, count == 1 ? "" : "s", quote(event.type), quote(event.object_code),
      quote(event.object_id));
}

std::optional<base::EndpointId> SubscriptionIndex::endpoint_of(base::TenantId tenant,
                                                               base::SubscriptionId id) const {
  const Shard& shard = shard_of(tenant);
  const std::shared_lock lock(shard.mutex);
  const TenantSubscriptions* found = shard.tenants.find(tenant.value);
  return found == nullptr ? std::nullopt : found->endpoint_of(id);
}

std::optional<std::string> SubscriptionIndex::url_of(base::TenantId tenant,
                                                     base::SubscriptionId id) const {
  const Shard& shard = shard_of(tenant);
  const std::shared_lock lock(shard.mutex);
  const TenantSubscriptions* found = shard.tenants.find(tenant.value);
  const std::optional<std::string_view> url = found == nullptr ? std::nullopt : found->url_of(id);
  return url.has_value() ? std::optional<std::string>(*url) : std::nullopt;
}

size_t SubscriptionIndex::size(base::TenantId tenant) const {
  const Shard& shard = shard_of(tenant);
  const std::shared_lock lock(shard.mutex);
  const TenantSubscriptions* found = shard.tenants.find(tenant.value);
  return found == nullptr ? 0 : found->size();
}

}  // namespace match
