// /openapi.json and /docs: what the API offers, for programs and for people.
#pragma once

#include "api/call.h"

namespace api {

void show_openapi(Backend& backend, Call& call);
void show_docs(Backend& backend, Call& call);

}  // namespace api
