// Secrets at rest. A secret is sealed under its tenant's data key, and the data key under a master
// key that is not in the store.
//
// Each box is bound to its place: tenant, record and purpose are part of what is authenticated, so
// a sealed token that somebody copies into another record opens nowhere. To rotate master keys only
// the one wrapped data key per tenant is written again; the secrets stay as they are.
//
// Both formats carry a version; any bytes at all open to a value or to an Error.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "secrets/master_keys.h"
#include "secrets/secret_bytes.h"

namespace secrets {

// What a secret is for. The numbers are stored; they are never used again for something else.
enum class Purpose : uint8_t {
  kSigningSecret = 1,
  kBearerToken = 2,
  kHeaderValue = 3,
  kClientKey = 4,
};

// Where a sealed secret belongs. The tenant is that of the key.
struct Place {
  std::string_view record;  // any bytes that name the record within the tenant
  Purpose purpose;
};

// A tenant's data key, unwrapped. Immutable, so threads may share it.
class TenantKey {
 public:
  base::TenantId tenant() const { return tenant_; }

  std::string seal(const Place& place, const SecretBytes& secret) const;
  base::Result<SecretBytes> open(const Place& place, std::string_view sealed) const;

 private:
  friend class Envelope;
  using Id = std::array<char, 8>;

  TenantKey(base::TenantId tenant, Id id, SecretBytes bytes)
      : tenant_(tenant), id_(id), bytes_(std::move(bytes)) {}

  base::TenantId tenant_;
  Id id_;  // Stands in everything that the key has sealed.
  SecretBytes bytes_;
};

class Envelope {
 public:
  explicit Envelope(MasterKeys keys) : keys_(std::move(keys)) {}

  // A new data key, wrapped for the store.
  std::string make_tenant_key(base::TenantId tenant) const;
  base::Result<TenantKey> unwrap(base::TenantId tenant, std::string_view wrapped) const;

  // Whether the newest master key wraps it; if not, rewrap() is due before the old one can go.
  base::Result<bool> is_current(std::string_view wrapped) const;
  // The same data key under the newest master key.
  base::Result<std::string> rewrap(base::TenantId tenant, std::string_view wrapped) const;

 private:
  std::string wrap(const TenantKey& key) const;

  MasterKeys keys_;
};

}  // namespace secrets
