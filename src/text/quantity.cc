#include "text/quantity.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace text {
namespace {

using base::Duration;
using base::ErrorCode;

struct Unit {
  std::string_view name;
  int64_t ms;
};

constexpr std::array kUnits = {
    Unit{"d", 86'400'000}, Unit{"h", 3'600'000}, Unit{"m", 60'000}, Unit{"s", 1000}, Unit{"ms", 1},
};

// Longer than anything worth simulating, and far from overflowing.
constexpr int64_t kDurationMax = int64_t{10'000} * 86'400'000;

bool is_digit(char character) { return character >= '0' && character <= '9'; }

std::string_view take_digits(std::string_view& text) {
  size_t length = 0;
  while (length < text.size() && is_digit(text[length])) {
    ++length;
  }
  const std::string_view digits = text.substr(0, length);
  text.remove_prefix(length);
  return digits;
}

std::string_view take_letters(std::string_view& text) {
  size_t length = 0;
  while (length < text.size() && !is_digit(text[length])) {
    ++length;
  }
  const std::string_view letters = text.substr(0, length);
  text.remove_prefix(length);
  return letters;
}

const Unit* find_unit(std::string_view name) {
  for (const Unit& unit : kUnits) {
    if (unit.name == name) {
      return &unit;
    }
  }
  return nullptr;
}

// 3h without the number: 1h.
base::Result<Duration> parse_period(std::string_view text) {
  if (const Unit* const unit = find_unit(text)) {
    return Duration::ms(unit->ms);
  }
  return parse_duration(text);
}

// "0.5/s" as the rate that was meant, if it is that simple: "1/2s".
std::string suggest_rate(std::string_view count, std::string_view period) {
  if (count == "0.5" && find_unit(period) != nullptr) {
    return fmt::format("1/2{}", period);
  }
  if (count == "0.1" && find_unit(period) != nullptr) {
    return fmt::format("1/10{}", period);
  }
  return "1/2s for one event in two seconds";
}

}  // namespace

Duration event_time(const Rate& rate, uint64_t number) {
  // Whole periods first, so that the product cannot overflow.
  const auto count = static_cast<uint64_t>(rate.count);
  const auto period = static_cast<uint64_t>(rate.period.count_ms());
  return Duration::ms(
      static_cast<int64_t>(number / count * period + number % count * period / count));
}

base::Result<int64_t> parse_integer(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    return base::fail(ErrorCode::kInvalid, "is too large");
  }
  if (error != std::errc() || end != text.data() + text.size()) {
    return base::fail(ErrorCode::kInvalid, "is not a whole number");
  }
  return value;
}

base::Result<Duration> parse_duration(std::string_view text) {
  const std::string_view whole = text;
  if (text == "0") {
    return Duration();
  }
  int64_t sum = 0;
  int64_t previous = INT64_MAX;
  do {
    const std::string_view digits = take_digits(text);
    const std::string_view letters = take_letters(text);
    if (digits.empty()) {
      return base::fail(ErrorCode::kInvalid,
                        "is not a time; write a whole number and a unit (ms, s, m, h, d)");
    }
    if (letters.empty()) {
      return base::fail(ErrorCode::kInvalid,
                        fmt::format("has no unit; write {}s, {}m or {}h", whole, whole, whole));
    }
    const Unit* const unit = find_unit(letters);
    if (unit == nullptr) {
      return base::fail(
          ErrorCode::kInvalid,
          fmt::format("has the unknown unit '{}'; known are ms, s, m, h, d", letters));
    }
    const auto count = parse_integer(digits);
    if (!count || *count > kDurationMax / unit->ms || sum + *count * unit->ms > kDurationMax) {
      return base::fail(ErrorCode::kInvalid, "is longer than 10000 days");
    }
    if (unit->ms >= previous) {
      return base::fail(ErrorCode::kInvalid, "must name larger units first, each once");
    }
    previous = unit->ms;
    sum += *count * unit->ms;
  } while (!text.empty());
  return Duration::ms(sum);
}

base::Result<Rate> parse_rate(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return base::fail(ErrorCode::kInvalid, "is not a rate; write COUNT/PERIOD, such as 50/s");
  }
  const std::string_view before = text.substr(0, slash);
  const std::string_view after = text.substr(slash + 1);
  if (before.find('.') != std::string_view::npos) {
    return base::fail(ErrorCode::kInvalid, fmt::format("has a fraction; write whole events over a "
                                                       "longer period, such as {}",
                                                       suggest_rate(before, after)));
  }
  const auto count = parse_integer(before);
  if (!count || *count < 1 || *count > 1'000'000) {
    return base::fail(ErrorCode::kInvalid, "must count from 1 to 1000000 events");
  }
  const auto period = parse_period(after);
  if (!period) {
    return base::fail(ErrorCode::kInvalid,
                      fmt::format("has the unknown period '{}'; write s, m, h, d or 3h", after));
  }
  if (*period <= Duration()) {
    return base::fail(ErrorCode::kInvalid, "must have a period above 0");
  }
  return Rate{.count = *count, .period = *period};
}

std::string duration_text(Duration duration) {
  int64_t left = duration.count_ms();
  std::string text;
  for (const Unit& unit : kUnits) {
    // Days are hard to compare with hours: 72h, not 3d.
    if (unit.ms <= 3'600'000 && left >= unit.ms) {
      text += fmt::format("{}{}", left / unit.ms, unit.name);
      left %= unit.ms;
    }
  }
  return text.empty() ? "0" : text;
}

std::string rate_text(const Rate& rate) {
  const std::string period = duration_text(rate.period);
  const bool is_unit = period.size() > 1 && period[0] == '1' && !is_digit(period[1]) &&
                       find_unit(period.substr(1)) != nullptr;
  return fmt::format("{}/{}", rate.count, is_unit ? period.substr(1) : period);
}

std::string spoken(Duration duration, Precision precision) {
  const int64_t ms = duration.count_ms();
  const bool with_ms = ms % 1000 != 0 && (precision == Precision::kExact || ms < 60'000);
  std::string text;
  for (const Unit& unit : kUnits) {
    if (unit.ms == 86'400'000 || (unit.ms == 1 && !with_ms)) {
      continue;
    }
    // Hours are never cut by days: "120h 5m" compares with --for 72h.
    const int64_t count =
        unit.ms == 3'600'000 ? ms / unit.ms : ms / unit.ms % (unit.ms == 1 ? 1000 : 60);
    if (count > 0) {
      text += fmt::format("{}{}{}", text.empty() ? "" : " ", count, unit.name);
    }
  }
  return text.empty() ? "0s" : text;
}

std::string grouped(uint64_t number) {
  std::string digits = fmt::format("{}", number);
  for (size_t from_end = 3; from_end < digits.size(); from_end += 4) {
    digits.insert(digits.size() - from_end, 1, ',');
  }
  return digits;
}

std::string deliveries_text(uint64_t number) {
  return grouped(number) + (number == 1 ? " delivery" : " deliveries");
}

}  // namespace text
