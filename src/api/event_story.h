// GET /v1/events/{id}: where an event is, with every delivery and attempt, or why nobody got it.
#pragma once

#include "api/call.h"

namespace api {

void show_event(Backend& backend, Call& call);

}  // namespace api
