// /v1/endpoints: how each URL of a tenant is doing, why, and what can be done about it.
#pragma once

#include <memory>

#include "api/call.h"
#include "base/ids.h"
#include "core/inputs.h"
#include "registry/endpoints.h"

namespace api {

void list_endpoints(Backend& backend, Call& call);
void show_endpoint(Backend& backend, Call& call);

// Each answers with the endpoint as it is afterwards, also when there was nothing to change.
void enable_endpoint(Backend& backend, Call& call);
void pause_endpoint(Backend& backend, Call& call);
void resume_endpoint(Backend& backend, Call& call);

// The same for who has found the endpoint otherwise.
struct EndpointWish {
  base::TenantId tenant;
  core::EndpointAction action = core::EndpointAction::kEnable;
};
void command_endpoint(Backend& backend, const std::shared_ptr<Reply>& reply,
                      const EndpointWish& wish, const registry::EndpointUrl& endpoint);

}  // namespace api
