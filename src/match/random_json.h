// Random filters and payloads for tests, drawn from pools so small that they meet often.
#pragma once

#include <string>

#include "base/prng.h"

namespace match {

// A JSON value; `depth` bounds its nesting.
std::string random_value(base::Prng& prng, int depth);
// {"filters": [...], "filterConnector": ...}
std::string random_filter(base::Prng& prng);
// With both states, one, or none.
std::string random_payload(base::Prng& prng);
// Of an event, or with wildcards.
std::string random_type(base::Prng& prng, bool is_pattern);

}  // namespace match
