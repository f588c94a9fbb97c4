// Targets of attempts: made from documents when first asked for, kept for those in use. A change of
// a subscription, or the end of one of its secrets, has them made anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "match/json.h"
#include "model/delivery.h"
#include "net/tls_identity.h"
#include "registry/documents.h"
#include "registry/endpoints.h"
#include "registry/subscription.h"
#include "registry/target.h"
#include "registry/tenants.h"

namespace registry {

class Targets {
 public:
  using Found = std::function<void(base::Result<std::shared_ptr<const Target>>)>;

  struct Parts {
    Documents& documents;
    Tenants& tenants;
    Endpoints& endpoints;
    std::shared_ptr<const net::TlsRoots> roots;
    // A delivery of a subscription that is gone: the core should cancel what it has of it.
    std::function<void(base::SubscriptionId)> missing;
  };

  Targets(Parts parts, size_t kept_max) : parts_(std::move(parts)), kept_max_(kept_max) {}

  // `done` runs at once if the target is in memory, else later; many who miss the same one share a
  // load. kNotFound: the subscription is gone, and `missing` was told. Other errors are ours.
  void find(const model::Delivery& delivery, Found done);

  // What was read of it before is not used any more, also by loads that are under way.
  void forget(base::SubscriptionId subscription);

  size_t size() const { return kept_.size(); }

 private:
  using Key = std::pair<base::SubscriptionId, base::EndpointId>;
  // All targets of one subscription: one, or a few while its URL changes.
  struct Kept {
    std::vector<std::shared_ptr<const Target>> targets;
    std::list<uint64_t>::iterator place;
  };
  struct Load {
    base::TenantId tenant;
    std::vector<Found> waiting;
    bool is_outdated = false;
  };

  std::shared_ptr<const Target> kept(Key key);
  void keep(const std::shared_ptr<const Target>& target);
  void begin(Key key);
  void subscription_loaded(Key key, const Subscription& subscription);
  void make(Key key, const Subscription& subscription, std::string_view url);
  void finish(Key key, const base::Result<std::shared_ptr<const Target>>& result);

  Parts parts_;
  size_t kept_max_;
  match::JsonParser parser_;
  std::map<Key, Load> loads_;
  std::unordered_map<uint64_t, Kept> kept_;  // by subscription
  std::list<uint64_t> by_use_;               // the most recently used last
};

// The secrets opened and put to use; all but the URL.
base::Result<std::shared_ptr<Target>> make_target(const Subscription& subscription,
                                                  const secrets::TenantKey& key,
                                                  const net::TlsRoots& roots, base::Instant now);

}  // namespace registry
