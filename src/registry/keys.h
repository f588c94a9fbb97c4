// API keys: prk_<16 hex digits of the id>_<43 base64url characters of 32 random bytes>.
//
// What is stored is the SHA-256 of the secret part: 256 random bits need no slow hash. All keys are
// in memory. A wrong secret, an unknown id and a text that is no key cost the same work and give
// the same answer; who guesses too often from one address is turned away unheard.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "match/json.h"
#include "model/document.h"
#include "net/address.h"
#include "registry/caller.h"
#include "registry/documents.h"
#include "registry/id_maker.h"
#include "registry/tenants.h"
#include "registry/throttle.h"
#include "secrets/secret_bytes.h"
#include "secrets/sha256.h"

namespace registry {

// How an authentication ended: with a caller, or without.
struct Authentication {
  std::optional<Caller> caller;
  // Set: too many failed tries from this address; ask again after it (429). Not set and no caller:
  // the key is wrong, revoked or expired (401).
  std::optional<base::Duration> retry_after;
};

struct ApiKey {
  KeyId id;
  base::TenantId tenant;
  std::string name;
  Scopes scopes;
  base::Instant created_at;
  base::Instant expires_at;  // not set: never
};

struct NewApiKey {
  std::string name;
  Scopes scopes;
  base::Instant expires_at;
};

struct CreatedApiKey {
  ApiKey key;
  secrets::SecretBytes text;  // the whole key, to be shown once
};

struct ApiKeyPage {
  std::vector<ApiKey> keys;
  bool complete = false;
};

class Keys {
 public:
  Keys(Documents& documents, IdMaker& ids, const Tenants& tenants,
       const Throttle::Options& throttle);

  // At the start, after the tenants.
  void load(Done<void> done);

  Authentication authenticate(std::string_view presented, const net::Address& peer);

  void create(base::TenantId tenant, NewApiKey wanted, Done<CreatedApiKey> done);
  // The same in steps, for what must become durable with something else. `text` comes from
  // make_text(); kInvalid if it is no key.
  struct Draft {
    ApiKey key;
    secrets::Sha256 digest{};
    model::DocumentChange change;  // to be committed
  };
  base::Result<Draft> draft(base::TenantId tenant, NewApiKey wanted, std::string_view text) const;
  void created(const Draft& draft);
  secrets::SecretBytes make_text();

  // In the order of ids.
  void list(base::TenantId tenant, KeyId after, uint32_t limit, Done<ApiKeyPage> done);
  // Nobody gets in with it after this is done.
  void revoke(base::TenantId tenant, KeyId id, Done<void> done);

  void forget_tenant(base::TenantId tenant);
  // Neither revoked nor expired.
  bool lets_in(KeyId id) const;
  // Whose key it is, wherever its caller acts.
  std::optional<base::TenantId> tenant_of(KeyId id) const;

 private:
  struct Entry {
    base::TenantId tenant;
    secrets::Sha256 digest{};
    Scopes scopes;
    base::Instant expires_at;
    uint64_t revision = 0;
  };

  std::optional<Caller> check(std::string_view presented) const;
  bool is_expired(const Entry& entry) const;
  base::Result<void> loaded(const model::Document& document);

  Documents& documents_;
  IdMaker& ids_;
  const Tenants& tenants_;
  Throttle throttle_;
  match::JsonParser parser_;
  std::unordered_map<uint64_t, Entry> keys_;  // by id
};

}  // namespace registry
