// How the value of each option is read and written, by the type of its field.

#include <fmt/format.h>

#include <limits>
#include <type_traits>

#include "simulate/option_table.h"

namespace simulate {
namespace {

using base::Duration;
using base::ErrorCode;
using model::RetryAnchor;

template <class T>
std::string bound_text(int64_t bound) {
  return std::is_same_v<T, Duration> ? duration_text(Duration::ms(bound))
                                     : fmt::format("{}", bound);
}

template <class T>
base::Result<int64_t> within(const OptionRow& row, int64_t value) {
  if (value >= row.bounds.min && value <= row.bounds.max) {
    return value;
  }
  const std::string low = bound_text<T>(row.bounds.min);
  if (row.bounds.max == INT64_MAX) {
    return base::fail(ErrorCode::kInvalid, fmt::format("must be at least {}", low));
  }
  return base::fail(ErrorCode::kInvalid,
                    fmt::format("must be between {} and {}", low, bound_text<T>(row.bounds.max)));
}

base::Result<Duration> read_duration(const OptionRow& row, std::string_view text) {
  TRY(const Duration duration, parse_duration(text));
  TRY([[maybe_unused]] const int64_t ms, within<Duration>(row, duration.count_ms()));
  return duration;
}

struct Reader {
  const OptionRow& row;
  std::string_view text;

  base::Result<bool> operator()(bool* value) const {
    *value = true;
    return true;
  }

  base::Result<bool> operator()(std::string* value) const {
    if (text.empty()) {
      return base::fail(ErrorCode::kInvalid, "is empty");
    }
    *value = text;
    return true;
  }

  template <class Number>
  base::Result<bool> operator()(Number* value) const
    requires std::is_integral_v<Number>
  {
    TRY(const int64_t number, parse_integer(text));
    TRY(const int64_t good, within<Number>(row, number));
    *value = static_cast<Number>(good);
    return true;
  }

  base::Result<bool> operator()(WholeHours value) const {
    TRY(const Duration duration, parse_duration(text));
    const int64_t hour = Duration::hours(1).count_ms();
    if (duration.count_ms() % hour != 0) {
      return base::fail(ErrorCode::kInvalid, "must be whole hours");
    }
    TRY(const int64_t hours, within<int>(row, duration.count_ms() / hour));
    *value.hours = static_cast<int>(hours);
    return true;
  }

  base::Result<bool> operator()(Duration* value) const {
    if (!row.forever.empty() && text == row.forever) {
      *value = kForever;
      return true;
    }
    TRY(*value, read_duration(row, text));
    return true;
  }

  base::Result<bool> operator()(std::vector<Duration>* value) const {
    if (!row.repeats) {
      value->clear();
    }
    std::string_view rest = text;
    while (true) {
      const size_t comma = rest.find(',');
      TRY(const Duration duration, read_duration(row, rest.substr(0, comma)));
      value->push_back(duration);
      if (comma == std::string_view::npos) {
        return true;
      }
      rest.remove_prefix(comma + 1);
    }
  }

  base::Result<bool> operator()(Rate* value) const {
    TRY(*value, parse_rate(text));
    return true;
  }

  base::Result<bool> operator()(RetryAnchor* value) const {
    if (text != "queued" && text != "previous_attempt") {
      return base::fail(ErrorCode::kInvalid, "is neither queued nor previous_attempt");
    }
    *value = text == "queued" ? RetryAnchor::kQueued : RetryAnchor::kPreviousAttempt;
    return true;
  }
};

struct Writer {
  const OptionRow& row;

  bool is_set(int64_t value) const { return value >= row.bounds.min && value <= row.bounds.max; }

  std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
  std::string operator()(const std::string* value) const { return *value; }

  template <class Number>
  std::string operator()(const Number* value) const
    requires std::is_integral_v<Number>
  {
    return is_set(static_cast<int64_t>(*value)) ? fmt::format("{}", *value) : "";
  }

  std::string operator()(WholeHours value) const {
    return duration_text(Duration::hours(*value.hours));
  }

  std::string operator()(const Duration* value) const {
    if (*value == kForever) {
      return std::string(row.forever);
    }
    return is_set(value->count_ms()) ? duration_text(*value) : "";
  }

  std::string operator()(const std::vector<Duration>* value) const {
    std::string text;
    for (const Duration duration : *value) {
      text += (text.empty() ? "" : ",") + duration_text(duration);
    }
    return text;
  }

  std::string operator()(const Rate* value) const { return rate_text(*value); }

  std::string operator()(const RetryAnchor* value) const {
    return *value == RetryAnchor::kQueued ? "queued" : "previous_attempt";
  }
};

}  // namespace

base::Result<bool> set_option(const OptionRow& row, std::string_view text, Request& request) {
  const auto done = std::visit(Reader{.row = row, .text = text}, row.field(request));
  if (!done) {
    return base::fail(done.error().code, fmt::format("{}: '{}' {}. Example: {} {}", row.name, text,
                                                     done.error().detail, row.name, row.example));
  }
  return true;
}

std::string value_text(const OptionRow& row, Request& request) {
  return std::visit(Writer{.row = row}, row.field(request));
}

}  // namespace simulate
