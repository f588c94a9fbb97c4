// Everything that people configure (tenants, subscriptions, keys, jobs ...) is a document to the
// store: bytes under a key, with a revision. Whoever owns a table owns the meaning of its bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"

namespace model {

// The numbers are part of the storage format.
enum class Table : uint8_t {
  kTenants = 1,
  kSubscriptions = 2,
  kEndpointUrls = 3,
  kApiKeys = 4,
  kSecrets = 5,
  kJobs = 6,
  kSettings = 7,
};

struct Document {
  Table table = Table::kTenants;
  base::TenantId tenant;
  std::string key;
  std::string value;
  uint64_t revision = 0;  // 1 when it is created, one more with each change
};

struct DocumentChange {
  Table table = Table::kTenants;
  base::TenantId tenant;
  std::string key;
  std::optional<std::string> value;           // nothing: the document goes
  std::optional<uint64_t> expected_revision;  // 0: there must be none. Nothing: whatever there is
};

// "The first `limit` documents of this table and tenant after `after`, in the order of keys."
struct DocumentQuery {
  Table table = Table::kTenants;
  base::TenantId tenant;
  std::string after;  // empty: from the beginning
  uint32_t limit = 0;
  // Goes on with the tenants after this one, in the order of tenants and keys: from tenant 0 on it
  // reads the whole table. The next page begins at the last document's tenant and key.
  bool every_tenant = false;
};

struct DocumentPage {
  std::vector<Document> documents;
  bool complete = false;  // there are no more
};

}  // namespace model
