// Moments as everybody outside reads them.
#pragma once

#include <string>

#include "base/time.h"

namespace text {

// RFC 3339 in UTC, to the millisecond: "2026-11-16T06:25:00.000Z".
std::string time_text(base::Instant time);

}  // namespace text
