// What a person says to make an API key or a tenant:
//
//   {"name": "shop", "scopes": ["publish", "read"], "expires_at": "2027-01-01T00:00:00Z"}
//   {"name": "acme"}
#pragma once

#include <string>

#include "base/result.h"
#include "match/json.h"
#include "registry/keys.h"

namespace registry {

// kInvalid, naming the field.
base::Result<NewApiKey> read_key_input(match::JsonValue body);
base::Result<std::string> read_tenant_input(match::JsonValue body);

}  // namespace registry
