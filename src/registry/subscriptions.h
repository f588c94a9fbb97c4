// Subscriptions: durable as documents, known to matching and to the core. A change is told to both
// when it is durable, and before its caller hears of it.
//
// In memory are, besides the matching index, a few words for each: its likeness, by which a second
// one of the same kind is refused; and the retry schedules of the few that have their own.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/flat_table.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "core/retry_schedule.h"
#include "delivery/intake.h"
#include "match/json.h"
#include "match/subscription_index.h"
#include "model/subscription.h"
#include "net/address_guard.h"
#include "net/tls_identity.h"
#include "registry/documents.h"
#include "registry/endpoints.h"
#include "registry/id_maker.h"
#include "registry/subscription.h"
#include "registry/subscription_input.h"
#include "registry/tenants.h"
#include "secrets/secret_bytes.h"

namespace registry {

// What a change has made of it.
struct ChangedSubscription {
  Subscription subscription;
  std::vector<std::string> warnings;    // what can never match
  secrets::SecretBytes signing_secret;  // the new one, to be shown once; may be empty
  base::EndpointId previous_endpoint;   // set if the URL has changed
};

struct SubscriptionPage {
  std::vector<Subscription> subscriptions;
  bool complete = false;
};

class Subscriptions {
 public:
  static constexpr size_t kPerTenantMax = 1'000'000;

  // Who must hear of changes; each runs on the loop, when the change is durable.
  struct Told {
    std::function<void(const model::SubscriptionSettings&)> settings;
    std::function<void(base::SubscriptionId)> removed;  // from now on none of its deliveries starts
    std::function<void(base::SubscriptionId)> changed;  // what was read of it is out of date
  };

  struct Parts {
    Documents& documents;
    IdMaker& ids;
    Tenants& tenants;
    Endpoints& endpoints;
    match::SubscriptionIndex& index;
    const net::AddressGuard& guard;
    std::shared_ptr<const net::TlsRoots> roots;
  };

  Subscriptions(Parts parts, const model::RetryPolicy& retry, Told told);

  // At the start, after the tenants: fills the index, tells settings and what was removed.
  void load(Done<void> done);

  // kInvalid: the body is wrong. kConflict: there is one for the same events at the same URL.
  void create(base::TenantId tenant, match::JsonValue body, Done<ChangedSubscription> done);
  // Merges: fields that the body does not name stay as they are.
  void update(base::TenantId tenant, base::SubscriptionId id, match::JsonValue body,
              Done<ChangedSubscription> done);
  void rotate(base::TenantId tenant, base::SubscriptionId id, match::JsonValue body,
              Done<ChangedSubscription> done);
  // No delivery of it starts after this is done.
  void remove(base::TenantId tenant, base::SubscriptionId id, Done<void> done);

  // kNotFound, also if it is another tenant's.
  void find(base::TenantId tenant, base::SubscriptionId id, Done<Subscription> done);
  // In the order of ids.
  void list(base::TenantId tenant, base::SubscriptionId after, uint32_t limit,
            Done<SubscriptionPage> done);

  // What intake needs of those that match. Schedules are valid until this subscription changes.
  std::vector<delivery::MatchedSubscription> matched(std::span<const match::Match> matches) const;

  // Its tenant goes: nothing of it matches any more. Then tells of each that it was removed.
  void forget_tenant(base::TenantId tenant, std::function<void()> done);

 private:
  // One read, change and write of a subscription; repeated if somebody else was faster.
  struct Change;
  using ChangePtr = std::shared_ptr<Change>;
  using Edit =
      std::function<base::Result<secrets::SecretBytes>(Subscription&, const secrets::TenantKey&)>;

  base::Result<void> loaded(const model::Document& document);
  base::Result<void> job_loaded(const model::Document& document);
  Sealing sealing(const secrets::TenantKey& key) const;

  void begin(const ChangePtr& change);
  void apply(const ChangePtr& change);
  base::Result<bool> try_edit(Change& change);
  void check_twin(const ChangePtr& change);
  void write(const ChangePtr& change);
  void written(Change& change);
  void fail(Change& change, base::Error error);

  void remove_found(const Subscription& subscription, Done<void> done);
  void tell_removed(base::TenantId tenant, base::SubscriptionId after, std::function<void()> done);
  void removed(const Subscription& subscription);
  void keep_schedule(const model::SubscriptionSettings& settings);
  void release_likeness(uint64_t likeness, base::SubscriptionId id);
  base::Duration unfinished_for(const Subscription& subscription) const;

  Parts parts_;
  core::RetrySchedule schedule_;  // of those that have none of their own
  Told told_;
  match::JsonParser parser_;
  base::FlatTable<base::SubscriptionId> twins_;  // by likeness
  std::map<base::SubscriptionId, core::RetrySchedule> schedules_;
};

}  // namespace registry
