// Everything that people register: tenants, API keys, subscriptions, endpoints. Durable as
// documents of the store, in memory as far as every request needs it, and nothing more.
//
// All on the loop's thread. It decides nothing about deliveries: it says who calls, which
// subscriptions there are, and what an attempt is sent with.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "match/subscription_index.h"
#include "model/retry_policy.h"
#include "model/subscription.h"
#include "net/address_guard.h"
#include "net/tls_identity.h"
#include "registry/caller.h"
#include "registry/documents.h"
#include "registry/endpoints.h"
#include "registry/id_maker.h"
#include "registry/keys.h"
#include "registry/subscriptions.h"
#include "registry/targets.h"
#include "registry/tenants.h"
#include "registry/throttle.h"
#include "secrets/envelope.h"
#include "secrets/master_keys.h"
#include "secrets/secret_bytes.h"
#include "store/store.h"

namespace registry {

struct Options {
  model::RetryPolicy retry;  // of subscriptions that have none of their own
  Throttle::Options failed_tries;
  size_t targets_max = 20'000;
};

// Who must hear of what: the dispatcher of the server.
struct Callbacks {
  std::function<void(const model::SubscriptionSettings&)> settings;
  std::function<void(base::SubscriptionId)> removed;  // may come more than once
  // store::Engine::erase_tenant(), brought onto the loop.
  Tenants::Erase erase_tenant;
};

struct Parts {
  base::Scheduler& scheduler;
  store::Store& store;
  match::SubscriptionIndex& index;
  const net::AddressGuard& guard;
  std::shared_ptr<const net::TlsRoots> roots;
  secrets::Envelope envelope;
  Callbacks callbacks;
};

// What the first start made.
struct FirstStart {
  base::TenantId tenant;
  secrets::SecretBytes admin_key;  // to be printed once
  std::string key_file;
};

class Registry {
 public:
  Registry(const Options& options, Parts parts);

  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // Reads everything that must be in memory. Before the dispatcher acquires shards: the callbacks
  // run while it loads.
  void load(Done<void> done);

  // After load(). If there is no tenant yet: makes one, and an admin key, which is also written to
  // <data directory>/admin.key, readable by its owner alone. Otherwise nothing.
  void bootstrap(const std::string& data_directory, Done<std::optional<FirstStart>> done);

  Authentication authenticate(std::string_view presented, const net::Address& peer) {
    return keys_.authenticate(presented, peer);
  }
  // The caller in another tenant, given as text, which only an admin may. kNotFound for everybody
  // else, and if there is no such tenant.
  base::Result<Caller> act_in(const Caller& caller, std::string_view tenant) const;

  // Whether a caller who got in a while ago still would: his key and the tenant are there.
  bool still_lets_in(const Caller& caller) const {
    return keys_.lets_in(caller.key) && tenants_.contains(caller.tenant);
  }

  void target_of(const model::Delivery& delivery, Targets::Found done) {
    targets_.find(delivery, std::move(done));
  }

  Tenants& tenants() { return tenants_; }
  Keys& keys() { return keys_; }
  Endpoints& endpoints() { return endpoints_; }
  Subscriptions& subscriptions() { return subscriptions_; }

 private:
  Documents documents_;
  IdMaker ids_;
  Tenants tenants_;
  Keys keys_;
  Endpoints endpoints_;
  Targets targets_;
  Subscriptions subscriptions_;
};

// Before the registry: the master keys of `path`, or, if that is empty, of
// <data directory>/master.key, which is made if it is not there.
base::Result<secrets::MasterKeys> find_master_keys(const std::string& data_directory,
                                                   const std::string& path);

}  // namespace registry
