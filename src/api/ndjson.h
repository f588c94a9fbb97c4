// Many events in one request, a JSON object on each line. Lines are independent: each is accepted
// or refused on its own, and the answer has a line for each, in order.
//
// The lines are read a few at a time, so that nobody else waits for the whole of a large request,
// and each few share a commit.
#pragma once

#include <optional>

#include "api/backend.h"
#include "api/call.h"
#include "api/problem.h"
#include "base/result.h"

namespace api {

void publish_ndjson(Backend& backend, Call& call);

// Why no event can be taken now, if none can.
std::optional<Problem> find_overload(const Backend& backend);
// Why an event was not accepted.
Problem publish_problem(const Backend& backend, const base::Error& error);

}  // namespace api
