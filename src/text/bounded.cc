#include "text/bounded.h"

#include <fmt/format.h>

#include <array>

#include "text/quantity.h"

namespace text {
namespace {

using base::Duration;
using base::ErrorCode;

struct ByteUnit {
  std::string_view name;
  int64_t bytes;
};
constexpr std::array kByteUnits = {
    ByteUnit{"TiB", int64_t{1} << 40U},
    ByteUnit{"GiB", int64_t{1} << 30U},
    ByteUnit{"MiB", int64_t{1} << 20U},
    ByteUnit{"KiB", int64_t{1} << 10U},
    ByteUnit{"", 1},
};

base::Result<int64_t> within(int64_t value, Bounds bounds, std::string (*words)(int64_t)) {
  if (bounds.contains(value)) {
    return value;
  }
  if (bounds.max == INT64_MAX) {
    return base::fail(ErrorCode::kInvalid, fmt::format("must be at least {}", words(bounds.min)));
  }
  return base::fail(ErrorCode::kInvalid,
                    fmt::format("must be between {} and {}", words(bounds.min), words(bounds.max)));
}

std::string integer_words(int64_t value) { return fmt::format("{}", value); }
std::string duration_words(int64_t value) { return duration_text(Duration::ms(value)); }
std::string byte_words(int64_t value) { return bytes_text(static_cast<uint64_t>(value)); }
std::string hour_words(int64_t value) { return duration_text(Duration::hours(value)); }

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

base::Result<int64_t> parse_integer(std::string_view text, Bounds bounds) {
  TRY(const int64_t number, parse_integer(text));
  return within(number, bounds, integer_words);
}

base::Result<Duration> parse_duration(std::string_view text, Bounds bounds) {
  TRY(const Duration duration, parse_duration(text));
  TRY(const int64_t ms, within(duration.count_ms(), bounds, duration_words));
  return Duration::ms(ms);
}

base::Result<std::vector<Duration>> parse_durations(std::string_view text, Bounds bounds) {
  std::vector<Duration> durations;
  if (split_list(text).empty()) {
    return base::fail(ErrorCode::kInvalid, "is empty");
  }
  for (const std::string_view part : split_list(text)) {
    TRY(const Duration duration, parse_duration(part, bounds));
    durations.push_back(duration);
  }
  return durations;
}

base::Result<int64_t> parse_bytes(std::string_view text, Bounds bounds) {
  const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
  const std::string_view name = text.substr(digits.size());
  for (const ByteUnit& unit : kByteUnits) {
    if (digits.empty() || unit.name != name) {
      continue;
    }
    TRY(const int64_t count, parse_integer(digits));
    if (count > INT64_MAX / unit.bytes) {
      return base::fail(ErrorCode::kInvalid, "is too large");
    }
    return within(count * unit.bytes, bounds, byte_words);
  }
  return base::fail(ErrorCode::kInvalid,
                    "is not a size; write a whole number, and KiB, MiB, GiB or TiB");
}

base::Result<int64_t> parse_whole_hours(std::string_view text, Bounds bounds) {
  TRY(const Duration duration, parse_duration(text));
  const int64_t hour = Duration::hours(1).count_ms();
  if (duration.count_ms() % hour != 0) {
    return base::fail(ErrorCode::kInvalid, "must be whole hours");
  }
  return within(duration.count_ms() / hour, bounds, hour_words);
}

std::string durations_text(const std::vector<Duration>& durations) {
  std::string text;
  for (const Duration duration : durations) {
    text += (text.empty() ? "" : ",") + duration_text(duration);
  }
  return text;
}

std::string bytes_text(uint64_t bytes) {
  for (const ByteUnit& unit : kByteUnits) {
    const auto size = static_cast<uint64_t>(unit.bytes);
    if (bytes >= size && bytes % size == 0) {
      return fmt::format("{}{}", bytes / size, unit.name);
    }
  }
  return "0";
}

std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> parts;
  if (trimmed(text).empty()) {
    return parts;
  }
  while (true) {
    const size_t comma = text.find(',');
    parts.push_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(comma + 1);
  }
}

}  // namespace text
