// /v1/endpoints: how each URL of a tenant is doing, why, and what can be done about it.
#pragma once

#include "api/call.h"

namespace api {

void list_endpoints(Backend& backend, Call& call);
void show_endpoint(Backend& backend, Call& call);

// Each answers with the endpoint as it is afterwards, also when there was nothing to change.
void enable_endpoint(Backend& backend, Call& call);
void pause_endpoint(Backend& backend, Call& call);
void resume_endpoint(Backend& backend, Call& call);

}  // namespace api
