// Numbers, sizes and times that must lie between bounds, as people write them. Errors follow the
// text in quotes: "'70' must be between 0 and 64".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace text {

// Both included. Durations count in milliseconds.
struct Bounds {
  int64_t min = 0;
  int64_t max = INT64_MAX;

  bool contains(int64_t value) const { return value >= min && value <= max; }
};

base::Result<int64_t> parse_integer(std::string_view text, Bounds bounds);
base::Result<base::Duration> parse_duration(std::string_view text, Bounds bounds);
// "1m,10m,1h"; at least one.
base::Result<std::vector<base::Duration>> parse_durations(std::string_view text, Bounds bounds);
// "65536", "512KiB", "64MiB", "2GiB"
base::Result<int64_t> parse_bytes(std::string_view text, Bounds bounds);
// In hours, from "24h".
base::Result<int64_t> parse_whole_hours(std::string_view text, Bounds bounds);

// As the functions above read them.
std::string durations_text(const std::vector<base::Duration>& durations);
std::string bytes_text(uint64_t bytes);

// The parts between the commas, without blanks around them; none of an empty text.
std::vector<std::string_view> split_list(std::string_view text);

}  // namespace text
