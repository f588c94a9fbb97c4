// What the API offers, as an OpenAPI 3.1 document: src/api/openapi.json, inside the binary.
//
// It is written by hand and served as it is. A test holds it against the table of routes, in both
// directions; what it says of bodies and answers is tried out by tests/e2e/schemathesis.
#pragma once

#include <string_view>

namespace api {

std::string_view openapi_text();

}  // namespace api
