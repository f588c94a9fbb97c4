// A registry over the simulator's store, on virtual time. It can be ended and started again; what
// it tells others is kept for looking at.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "match/json.h"
#include "match/subscription_index.h"
#include "model/document.h"
#include "net/address_guard.h"
#include "registry/registry.h"
#include "sim/sim_store.h"
#include "sim/timeline.h"

namespace registry_tests {

inline constexpr base::Instant kStart = base::Instant::from_ms(1'800'000'000'000);

class RegistryRig : public ::testing::Test {
 protected:
  RegistryRig();

  registry::Registry& registry() { return *registry_; }
  registry::Subscriptions& subscriptions() { return registry_->subscriptions(); }
  base::Instant now() const { return scheduler_->now(); }

  // Calls and runs until it is answered.
  template <class T>
  base::Result<T> ask(const std::function<void(registry::Done<T>)>& call) {
    const auto answer = std::make_shared<std::optional<base::Result<T>>>();
    // By reference: of a copy, GCC 12 believes at -O2 that it may be destroyed unmade.
    call([answer](base::Result<T>&& result) { answer->emplace(std::move(result)); });
    EXPECT_TRUE(run_until([&] { return answer->has_value(); })) << "no answer";
    return answer->has_value() ? std::move(**answer)
                               : base::Result<T>(base::fail(base::ErrorCode::kIo, "no answer"));
  }

  bool run_until(const std::function<bool()>& is_done);
  void run_for(base::Duration time);
  // The process ends without a word, and the next one loads what is durable.
  void restart();
  base::Result<void> try_restart();

  base::TenantId new_tenant(const std::string& name = "tenant");
  base::Result<registry::ChangedSubscription> create(base::TenantId tenant, std::string_view json);
  base::Result<registry::ChangedSubscription> update(base::TenantId tenant, base::SubscriptionId id,
                                                     std::string_view json);
  base::Result<registry::ChangedSubscription> rotate(base::TenantId tenant, base::SubscriptionId id,
                                                     std::string_view json);
  base::Result<void> remove(base::TenantId tenant, base::SubscriptionId id);
  base::Result<registry::Subscription> find(base::TenantId tenant, base::SubscriptionId id);
  base::Result<std::shared_ptr<const registry::Target>> target(
      const registry::Subscription& subscription);
  static model::Delivery delivery_of(const registry::Subscription& subscription);

  // Ids of the subscriptions that want this event.
  std::vector<base::SubscriptionId> matches(base::TenantId tenant, std::string_view type,
                                            std::string_view payload = "{}");
  std::vector<model::Document> documents(model::Table table);

  sim::Timeline timeline_;
  sim::SimStore store_;
  std::unique_ptr<sim::SimScheduler> scheduler_;
  std::unique_ptr<match::SubscriptionIndex> index_;
  net::AddressGuard guard_;
  registry::Options options_;
  std::string master_keys_;
  std::unique_ptr<registry::Registry> registry_;
  match::JsonParser parser_;

  std::vector<model::SubscriptionSettings> settings_told_;
  std::vector<base::SubscriptionId> removed_told_;
  std::vector<base::TenantId> erases_asked_;
  std::optional<base::Error> erase_fails_with_;

 private:
  void start();
};

// How often an id was told.
inline size_t count_of(const std::vector<base::SubscriptionId>& told, base::SubscriptionId id) {
  return static_cast<size_t>(std::ranges::count(told, id));
}

}  // namespace registry_tests
