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
    TRY(const int64_t number, ::text::parse_integer(text, row.bounds));
    *value = static_cast<Number>(number);
    return true;
  }

  base::Result<bool> operator()(WholeHours value) const {
    TRY(const int64_t hours, ::text::parse_whole_hours(text, row.bounds));
    *value.hours = static_cast<int>(hours);
    return true;
  }

  base::Result<bool> operator()(Duration* value) const {
    if (!row.forever.empty() && text == row.forever) {
      *value = kForever;
      return true;
    }
    TRY(*value, ::text::parse_duration(text, row.bounds));
    return true;
  }

  base::Result<bool> operator()(std::vector<Duration>* value) const {
    if (!row.repeats) {
      value->clear();
    }
    TRY(const std::vector<Duration> durations, ::text::parse_durations(text, row.bounds));
    value->insert(value->end(), durations.begin(), durations.end());
    return true;
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

  bool is_set(int64_t value) const { return row.bounds.contains(value); }

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
    return ::text::durations_text(*value);
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
