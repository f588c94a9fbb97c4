// /v1/tenants: for admins.
#pragma once

#include "api/call.h"

namespace api {

void create_tenant(Backend& backend, Call& call);
void list_tenants(Backend& backend, Call& call);
void show_tenant(Backend& backend, Call& call);
// Nothing of it is found any more after the answer; what it has stored is erased afterwards.
void delete_tenant(Backend& backend, Call& call);

}  // namespace api
