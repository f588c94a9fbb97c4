// /v1/keys: the API keys of a tenant, for admins.
#pragma once

#include "api/call.h"

namespace api {

// The only answer that has the key itself.
void create_key(Backend& backend, Call& call);
void list_keys(Backend& backend, Call& call);
// Nobody gets in with it after the answer.
void revoke_key(Backend& backend, Call& call);

}  // namespace api
