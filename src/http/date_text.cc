#include "http/date_text.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>

namespace http {
namespace {

constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::string to_text(int64_t second) {
  const std::chrono::sys_seconds time{std::chrono::seconds(second)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::array<char, 64> text{};
  const int length = std::snprintf(
      text.data(), text.size(), "%s, %02u %s %04d %02d:%02d:%02d GMT",
      kDays[std::chrono::weekday(day).c_encoding()], static_cast<unsigned>(date.day()),
      kMonths[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()));
  return {text.data(), static_cast<size_t>(length)};
}

}  // namespace

std::string_view DateText::at(base::Instant wall_clock) {
  const int64_t second = wall_clock.ms() / 1000;
  if (second != second_) {
    second_ = second;
    text_ = to_text(second);
  }
  return text_;
}

}  // namespace http
