#include "net/retry_after.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace net {

namespace {

constexpr auto kMonths = std::to_array<std::string_view>(
    {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"});
constexpr auto kWeekdays = std::to_array<std::string_view>(
    {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"});

struct Date {
  int64_t year = 0;
  int64_t month = 0;  // 1 to 12
  int64_t day = 0;
  int64_t hour = 0;
  int64_t minute = 0;
  int64_t second = 0;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Takes a text apart from the left. After the first mismatch `is_good` stays false.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool is_done() const { return is_good_ && rest_.empty(); }

  void skip(std::string_view expected) {
    is_good_ = is_good_ && rest_.starts_with(expected);
    rest_.remove_prefix(is_good_ ? expected.size() : 0);
  }

  int64_t number(size_t digits) {
    is_good_ = is_good_ && rest_.size() >= digits &&
               std::ranges::all_of(rest_.substr(0, digits), is_digit);
    if (!is_good_) {
      return 0;
    }
    int64_t value = 0;
    for (const char c : rest_.substr(0, digits)) {
      value = value * 10 + (c - '0');
    }
    rest_.remove_prefix(digits);
    return value;
  }

  // asctime's day: a blank stands for the first digit.
  int64_t padded_number() {
    if (!rest_.starts_with(' ')) {
      return number(2);
    }
    skip(" ");
    return number(1);
  }

  int64_t month() {
    const auto found = std::ranges::find_if(
        kMonths, [this](std::string_view name) { return rest_.starts_with(name); });
    is_good_ = is_good_ && found != kMonths.end();
    rest_.remove_prefix(is_good_ ? 3 : 0);
    return found - kMonths.begin() + 1;
  }

  // The weekday's name, in full or its first three letters. Whether it fits the date is not
  // checked: the date says it all.
  void weekday(bool is_short) {
    const auto found = std::ranges::find_if(kWeekdays, [&](std::string_view name) {
      return rest_.starts_with(is_short ? name.substr(0, 3) : name);
    });
    is_good_ = is_good_ && found != kWeekdays.end();
    if (is_good_) {
      rest_.remove_prefix(is_short ? 3 : found->size());
    }
  }

  void time_of_day(Date& date) {
    date.hour = number(2);
    skip(":");
    date.minute = number(2);
    skip(":");
    date.second = number(2);
  }

 private:
  std::string_view rest_;
  bool is_good_ = true;
};

// Sun, 06 Nov 1994 08:49:37 GMT
std::optional<Date> parse_imf_fixdate(std::string_view text) {
  Scanner scan(text);
  Date date;
  scan.weekday(true);
  scan.skip(", ");
  date.day = scan.number(2);
  scan.skip(" ");
  date.month = scan.month();
  scan.skip(" ");
  date.year = scan.number(4);
  scan.skip(" ");
  scan.time_of_day(date);
  scan.skip(" GMT");
  return scan.is_done() ? std::optional(date) : std::nullopt;
}

// Sunday, 06-Nov-94 08:49:37 GMT; the year still without its century
std::optional<Date> parse_rfc850(std::string_view text) {
  Scanner scan(text);
  Date date;
  scan.weekday(false);
  scan.skip(", ");
  date.day = scan.number(2);
  scan.skip("-");
  date.month = scan.month();
  scan.skip("-");
  date.year = scan.number(2);
  scan.skip(" ");
  scan.time_of_day(date);
  scan.skip(" GMT");
  return scan.is_done() ? std::optional(date) : std::nullopt;
}

// Sun Nov  6 08:49:37 1994
std::optional<Date> parse_asctime(std::string_view text) {
  Scanner scan(text);
  Date date;
  scan.weekday(true);
  scan.skip(" ");
  date.month = scan.month();
  scan.skip(" ");
  date.day = scan.padded_number();
  scan.skip(" ");
  scan.time_of_day(date);
  scan.skip(" ");
  date.year = scan.number(4);
  return scan.is_done() ? std::optional(date) : std::nullopt;
}

bool is_leap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int64_t days_in_month(int64_t year, int64_t month) {
  constexpr auto kDays = std::to_array<int64_t>({31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31});
  return kDays[static_cast<size_t>(month - 1)] + (month == 2 && is_leap(year) ? 1 : 0);
}

bool exists(const Date& date) {
  return date.day >= 1 && date.day <= days_in_month(date.year, date.month) && date.hour <= 23 &&
         date.minute <= 59 && date.second <= 60;  // 60: a leap second
}

int64_t leap_days_before(int64_t year) {
  const int64_t last = year - 1;
  return last / 4 - last / 100 + last / 400;
}

base::Instant to_instant(const Date& date) {
  int64_t days = (date.year - 1970) * 365 + leap_days_before(date.year) - leap_days_before(1970);
  for (int64_t month = 1; month < date.month; ++month) {
    days += days_in_month(date.year, month);
  }
  days += date.day - 1;
  return base::Instant::from_ms((((days * 24 + date.hour) * 60 + date.minute) * 60 + date.second) *
                                1000);
}

// RFC 9110: the latest year with these digits that is no more than 50 years ahead.
int64_t with_century(int64_t two_digits, base::Instant now) {
  constexpr int64_t kMeanYearMs = 31'556'952'000;
  const int64_t latest = 1970 + now.ms() / kMeanYearMs + 50;
  return latest - (latest - two_digits) % 100;
}

std::optional<base::Instant> parse_http_date(std::string_view text, base::Instant now) {
  auto date = parse_imf_fixdate(text);
  if (!date.has_value()) {
    date = parse_asctime(text);
  }
  if (!date.has_value()) {
    date = parse_rfc850(text);
    if (date.has_value()) {
      date->year = with_century(date->year, now);
    }
  }
  return date.has_value() && exists(*date) ? std::optional(to_instant(*date)) : std::nullopt;
}

base::Duration parse_seconds(std::string_view digits) {
  int64_t seconds = 0;
  for (const char c : digits) {
    seconds = std::min(seconds * 10 + (c - '0'), kRetryAfterMax.count_ms() / 1000);
  }
  return base::Duration::seconds(seconds);
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

std::optional<base::Duration> parse_retry_after(std::string_view text,
                                                base::Instant wall_clock_now) {
  text = trim(text);
  if (text.empty()) {
    return std::nullopt;
  }
  if (std::ranges::all_of(text, is_digit)) {
    return parse_seconds(text);
  }
  const auto date = parse_http_date(text, wall_clock_now);
  if (!date.has_value()) {
    return std::nullopt;
  }
  return std::clamp(*date - wall_clock_now, base::Duration(), kRetryAfterMax);
}

}  // namespace net
