// The promises of filter.h and type_pattern.h once more, for tests: as short as can be, straight
// from the subscriber's JSON, without an index, a program or a hash. Understands the dates of
// kDates only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "match/json.h"

namespace match::naive {

// Three of them are the same instant.
inline constexpr std::string_view kDates[] = {
    "2022-01-01", "2022-01-01T00:00:00Z", "2022-01-01T01:00:00+01:00", "2023-05-05T12:00:00.5Z"};

bool type_matches(std::string_view pattern, std::string_view type);

// `filter` is {"filters": [...], "filterConnector": ...}.
bool passes(JsonValue filter, JsonValue new_state, JsonValue old_state);

}  // namespace match::naive
