// JSON for people: one member on each line, indented; what is short stays on one line.
#pragma once

#include <string>

#include "match/json.h"

namespace api {

std::string compact_json(match::JsonValue value);
std::string indented_json(match::JsonValue value);

}  // namespace api
