// POST /v1/events: takes events in, one as JSON or many as NDJSON.
#pragma once

#include "api/call.h"

namespace api {

void publish_events(Backend& backend, Call& call);

}  // namespace api
