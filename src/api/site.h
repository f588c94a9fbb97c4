// The API as a site of the HTTP server: finds the route, finds out who asks and whether he may, and
// hands over to the handler.
#pragma once

#include "api/backend.h"
#include "http/options.h"

namespace api {

// The backend outlives the site.
http::Site make_site(Backend& backend);
// How large a body may be: as the routes say.
size_t body_bytes_max(const http::Request& head);

}  // namespace api
