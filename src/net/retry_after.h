// Reads a Retry-After header: how long a receiver asks us to stay away.
//
// Takes RFC 9110's two forms, whole seconds and an HTTP date (in its three spellings), and nothing
// else: a value that is neither is no wish. It does not cut a wish to what we are willing to do;
// that is the core's.
#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"

namespace net {

// Longer wishes, and dates beyond, count as this.
inline constexpr base::Duration kRetryAfterMax = base::Duration::hours(24 * 366);

// `wall_clock_now` is needed for dates. A date in the past means no wait at all: zero.
std::optional<base::Duration> parse_retry_after(std::string_view text,
                                                base::Instant wall_clock_now);

}  // namespace net
