// GET /v1/stats: attempts and ends per hour, of an endpoint, a subscription or a whole tenant.
#pragma once

#include "api/call.h"

namespace api {

void show_stats(Backend& backend, Call& call);

}  // namespace api
