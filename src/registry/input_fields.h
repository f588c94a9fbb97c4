// Reading what people send as JSON, field by field. Every error begins with the field it is about
// ("rate_limit.count: must be ..."), says what is possible, and quotes no value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/time.h"
#include "match/json_place.h"

namespace registry {

std::unexpected<base::Error> wrong(const match::JsonPlace& at, std::string_view what);

// The same error with the field in front.
template <class T>
base::Result<T> named(const match::JsonPlace& at, base::Result<T> result) {
  if (!result.has_value()) {
    return wrong(at, result.error().detail);
  }
  return result;
}

// An object with no other fields than these; otherwise the nearest name is suggested.
base::Result<bool> check_fields(const match::JsonPlace& at,
                                std::span<const std::string_view> known);

base::Result<std::string_view> read_string(const match::JsonPlace& at, size_t bytes_max);

struct Range {
  int64_t min = 0;
  int64_t max = 0;
};
base::Result<int64_t> read_integer(const match::JsonPlace& at, Range range);

struct DurationRange {
  base::Duration min;
  base::Duration max;
};
base::Result<base::Duration> read_duration(const match::JsonPlace& at, const DurationRange& range);

}  // namespace registry
