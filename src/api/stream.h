// GET /v1/stream: the live tail of the caller's tenant, as server-sent events.
#pragma once

#include "api/call.h"

namespace api {

void open_stream(Backend& backend, Call& call);

}  // namespace api
