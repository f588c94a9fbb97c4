// Durations and rates as people write and read them: 6h, 1h30m, 50/s, 1/3h.
//
// Integers only: 0.5/s is refused, because 1/2s says the same exactly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace text {

// `count` events per `period`, evenly spaced.
struct Rate {
  int64_t count = 1;
  base::Duration period = base::Duration::seconds(1);
};

// The k-th event of a rate; events are numbered from 0.
base::Duration event_time(const Rate& rate, uint64_t number);

// "250ms", "20s", "10m", "6h", "2d", "1h30m"; "0" needs no unit.
base::Result<base::Duration> parse_duration(std::string_view text);
base::Result<Rate> parse_rate(std::string_view text);
base::Result<int64_t> parse_integer(std::string_view text);

// As parse_duration() reads it, in as few parts as possible: "1h30m".
std::string duration_text(base::Duration duration);
std::string rate_text(const Rate& rate);

// For reading: "1h 32m 10s". Milliseconds only where they matter, below a minute or if `exact`.
enum class Precision : uint8_t { kSeconds, kExact };
std::string spoken(base::Duration duration, Precision precision = Precision::kSeconds);

// "12,960,000"
std::string grouped(uint64_t number);
// "1 delivery", "2 deliveries"
std::string deliveries_text(uint64_t number);

}  // namespace text
