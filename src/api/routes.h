// Every route of the API, declared once. What answers requests, what /openapi.json must describe
// and what the isolation tests try are all derived from these rows.
#pragma once

#include "api/call.h"
#include "http/route_table.h"

namespace api {

using Routes = http::RouteTable<Action>;

const Routes& routes();

}  // namespace api
