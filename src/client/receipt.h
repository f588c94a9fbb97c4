// What the server said of an event, in words and as one line of JSON.
#pragma once

#include <cstddef>
#include <string>

#include "match/json.h"

namespace client {

// `receipt` is the answer to one event, or one line of the answer to many.
std::string accepted_text(match::JsonValue receipt, bool is_replayed);
// "line 3: refused with 400: ..."; or accepted, with its id.
std::string line_text(size_t line, match::JsonValue result);
std::string line_json(size_t line, match::JsonValue result);
// The member `error` of an answer as a sentence, without a full stop; empty if it is none.
std::string problem_text(match::JsonValue error);
// 0 if there is none.
int status_of(match::JsonValue result);

}  // namespace client
