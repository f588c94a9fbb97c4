// Tenants: their names and the keys under which their secrets are sealed. All of them are in
// memory; there are far fewer than subscriptions.
//
// Deleting one is a promise to erase everything it has: the registry forgets it at once and for
// good, and asks for the rest to be erased until that is done, also after a restart.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "match/json.h"
#include "model/document.h"
#include "registry/documents.h"
#include "registry/id_maker.h"
#include "secrets/envelope.h"

namespace registry {

inline constexpr std::string_view kDefaultTenantName = "default";

struct Tenant {
  base::TenantId id;
  std::string name;
  base::Instant created_at;
};

struct TenantPage {
  std::vector<Tenant> tenants;  // in the order of ids, which is that of their making
  bool complete = false;
};

class Tenants {
 public:
  // Erases everything durable of a tenant. kConflict: it has unfinished deliveries; asked again.
  using Erase = std::function<void(base::TenantId, Done<void>)>;
  // The tenant is going: nothing of it may be found any more. Then calls back.
  using Forget = std::function<void(base::TenantId, std::function<void()>)>;

  Tenants(Documents& documents, IdMaker& ids, secrets::Envelope envelope, Erase erase);

  // At the start, once; goes on with deletions that were not finished.
  void load(Done<void> done);
  void on_going(Forget forget) { forget_ = std::move(forget); }

  bool is_empty() const { return tenants_.empty(); }
  size_t size() const { return tenants_.size(); }
  std::optional<Tenant> find(base::TenantId id) const;
  bool contains(base::TenantId id) const { return tenants_.contains(id); }
  // Deleted, and not yet erased.
  bool is_going(base::TenantId id) const { return going_.contains(id); }
  TenantPage list(base::TenantId after, uint32_t limit) const;

  // kInvalid: the name is empty, too long, or has control characters.
  void create(std::string name, Done<Tenant> done);
  // Done when nothing of it is found any more, also after a restart. What it has stored goes later.
  void remove(base::TenantId id, Done<void> done);

  // The same in steps, for what must become durable with something else.
  struct Draft {
    Tenant tenant;
    std::string wrapped_key;
    model::DocumentChange change;  // to be committed
  };
  base::Result<Draft> draft(std::string name);
  void created(const Draft& draft);

  // What seals and opens its secrets.
  base::Result<secrets::TenantKey> open_key(base::TenantId id) const;

 private:
  struct Entry {
    std::string name;
    base::Instant created_at;
    std::string wrapped_key;
    uint64_t revision = 0;
  };

  base::Result<void> loaded(const model::Document& document);
  void rewrap_next();
  void erase(base::TenantId id);

  Documents& documents_;
  IdMaker& ids_;
  secrets::Envelope envelope_;
  Erase erase_;
  Forget forget_;
  match::JsonParser parser_;
  std::map<base::TenantId, Entry> tenants_;
  std::set<base::TenantId> going_;
  std::vector<base::TenantId> to_rewrap_;
  std::vector<base::TenantId> to_erase_;
};

}  // namespace registry
