#include "match/reading.h"

#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

#include "base/hash.h"

namespace match {

namespace {

static_assert(std::numeric_limits<long double>::digits >= 64);

constexpr double kTwoTo63 = 9'223'372'036'854'775'808.0;
constexpr double kTwoTo64 = 18'446'744'073'709'551'616.0;
// Longer texts are not numbers that anybody wrote, and payloads hold long texts.
constexpr size_t kNumberTextMax = 400;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// JSON's grammar of numbers: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
class NumberText {
 public:
  explicit NumberText(std::string_view text) : rest_(text) {}

  bool is_number() {
    take('-');
    if (!take('0') && !take_digits()) {
      return false;
    }
    is_integer_ = rest_.empty();
    if (take('.') && !take_digits()) {
      return false;
    }
    if (take('e') || take('E')) {
      if (!take('-')) {
        take('+');
      }
      if (!take_digits()) {
        return false;
      }
    }
    return rest_.empty();
  }

  bool is_integer() const { return is_integer_; }

 private:
  bool take(char c) {
    if (!rest_.starts_with(c)) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  bool take_digits() {
    const size_t before = rest_.size();
    while (!rest_.empty() && is_digit(rest_[0])) {
      rest_.remove_prefix(1);
    }
    return rest_.size() < before;
  }

  std::string_view rest_;
  bool is_integer_ = false;
};

template <class T>
std::optional<T> parsed(std::string_view text) {
  T value{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc() ? std::optional(value) : std::nullopt;
}

// Reads the parts of an ISO 8601 text from left to right.
class MomentText {
 public:
  explicit MomentText(std::string_view text) : rest_(text) {}

  std::optional<Moment> read() {
    Moment moment;
    if (!read_date(moment)) {
      return std::nullopt;
    }
    if (rest_.empty()) {
      return moment;
    }
    if (!(take('T') || take('t') || take(' ')) || !read_time(moment) || !read_offset(moment)) {
      return std::nullopt;
    }
    return rest_.empty() ? std::optional(moment) : std::nullopt;
  }

 private:
  bool read_date(Moment& moment) {
    unsigned year = 0;
    unsigned month = 0;
    unsigned day = 0;
    if (!take_number(4, year) || !take('-') || !take_number(2, month) || !take('-') ||
        !take_number(2, day)) {
      return false;
    }
    const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(year)),
                                           std::chrono::month(month), std::chrono::day(day));
    if (!date.ok()) {
      return false;
    }
    moment.seconds = std::chrono::sys_days(date).time_since_epoch().count() * int64_t{86'400};
    return true;
  }

  bool read_time(Moment& moment) {
    unsigned hour = 0;
    unsigned minute = 0;
    unsigned second = 0;
    if (!take_number(2, hour) || !take(':') || !take_number(2, minute)) {
      return false;
    }
    if (take(':') && (!take_number(2, second) || !read_fraction(moment))) {
      return false;
    }
    moment.seconds += int64_t{hour} * 3600 + int64_t{minute} * 60 + second;
    return hour < 24 && minute < 60 && second <= 60;  // 60: a leap second
  }

  bool read_fraction(Moment& moment) {
    if (!take('.') && !take(',')) {
      return true;
    }
    uint32_t unit = 1'000'000'000;
    const size_t before = rest_.size();
    while (!rest_.empty() && is_digit(rest_[0])) {
      unit /= 10;
      moment.nanos += unit * static_cast<uint32_t>(rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    return rest_.size() < before;
  }

  bool read_offset(Moment& moment) {
    if (rest_.empty() || take('Z') || take('z')) {
      return true;
    }
    const bool is_east = take('+');
    unsigned hours = 0;
    unsigned minutes = 0;
    if ((!is_east && !take('-')) || !take_number(2, hours)) {
      return false;
    }
    if (!rest_.empty()) {
      take(':');
      if (!take_number(2, minutes)) {
        return false;
      }
    }
    const int64_t seconds = int64_t{hours} * 3600 + int64_t{minutes} * 60;
    moment.seconds += is_east ? -seconds : seconds;
    return hours < 24 && minutes < 60;
  }

  bool take(char c) {
    if (!rest_.starts_with(c)) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  bool take_number(size_t digits, unsigned& value) {
    if (rest_.size() < digits) {
      return false;
    }
    value = 0;
    for (const char c : rest_.substr(0, digits)) {
      if (!is_digit(c)) {
        return false;
      }
      value = value * 10 + static_cast<unsigned>(c - '0');
    }
    rest_.remove_prefix(digits);
    return true;
  }

  std::string_view rest_;
};

}  // namespace

Number Number::from(int64_t value) { return {Form::kInteger, static_cast<uint64_t>(value)}; }

Number Number::from(uint64_t value) {
  return std::in_range<int64_t>(value) ? Number(Form::kInteger, value)
                                       : Number(Form::kUnsigned, value);
}

Number Number::from(double value) {
  if (value == std::trunc(value)) {
    if (value >= -kTwoTo63 && value < kTwoTo63) {
      return from(static_cast<int64_t>(value));
    }
    if (value >= kTwoTo63 && value < kTwoTo64) {
      return from(static_cast<uint64_t>(value));
    }
  }
  return {Form::kDouble, std::bit_cast<uint64_t>(value)};
}

long double Number::widest() const {
  switch (form_) {
    case Form::kInteger:
      return static_cast<long double>(static_cast<int64_t>(bits_));
    case Form::kUnsigned:
      return static_cast<long double>(bits_);
    case Form::kDouble:
      break;
  }
  return static_cast<long double>(std::bit_cast<double>(bits_));
}

std::strong_ordering Number::operator<=>(const Number& other) const {
  const long double left = widest();
  const long double right = other.widest();
  return left < right   ? std::strong_ordering::less
         : left > right ? std::strong_ordering::greater
                        : std::strong_ordering::equal;
}

uint64_t Number::hash() const { return base::mix(static_cast<uint64_t>(form_), bits_); }

std::optional<Number> read_number(std::string_view text) {
  if (text.empty() || text.size() > kNumberTextMax || !(is_digit(text[0]) || text[0] == '-')) {
    return std::nullopt;
  }
  NumberText grammar(text);
  if (!grammar.is_number()) {
    return std::nullopt;
  }
  if (grammar.is_integer()) {
    if (const auto integer = parsed<int64_t>(text)) {
      return Number::from(*integer);
    }
    if (const auto natural = parsed<uint64_t>(text)) {
      return Number::from(*natural);
    }
  }
  const auto decimal = parsed<double>(text);
  return decimal.has_value() ? std::optional(Number::from(*decimal)) : std::nullopt;
}

std::optional<Moment> read_moment(std::string_view text) { return MomentText(text).read(); }

std::optional<Number> number_in(JsonValue value) {
  switch (value.kind()) {
    case JsonKind::kInteger:
      return Number::from(value.as_integer());
    case JsonKind::kUnsigned:
      return Number::from(value.as_unsigned());
    case JsonKind::kDouble:
      return Number::from(value.as_double());
    case JsonKind::kString:
      return read_number(value.as_string());
    default:
      return std::nullopt;
  }
}

Reading read(JsonValue value) {
  if (const auto number = number_in(value)) {
    return *number;
  }
  if (value.kind() == JsonKind::kString) {
    if (const auto moment = read_moment(value.as_string())) {
      return *moment;
    }
  }
  return {};
}

}  // namespace match
