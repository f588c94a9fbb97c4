#include "registry/input_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/nearest_name.h"
#include "match/json.h"
#include "text/quantity.h"

namespace registry {

using base::ErrorCode;
using base::Result;
using match::JsonKind;
using match::JsonPlace;

namespace {

// Some programs write 5.0 for 5, and to JSON both are the same number.
std::optional<int64_t> whole_number(match::JsonValue value) {
  constexpr double kExactMax = 9'007'199'254'740'992.0;  // beyond it doubles skip integers
  if (value.kind() == JsonKind::kInteger) {
    return value.as_integer();
  }
  if (value.kind() != JsonKind::kDouble || std::abs(value.as_double()) > kExactMax ||
      std::trunc(value.as_double()) != value.as_double()) {
    return std::nullopt;
  }
  return static_cast<int64_t>(value.as_double());
}

}  // namespace

std::unexpected<base::Error> wrong(const JsonPlace& at, std::string_view what) {
  return base::fail(ErrorCode::kInvalid, fmt::format("{}: {}", at.path(), what));
}

Result<std::string_view> read_string(const JsonPlace& at, size_t bytes_max) {
  if (at.kind() != JsonKind::kString) {
    return wrong(at, "must be a text");
  }
  const std::string_view text = at.value().as_string();
  if (text.size() > bytes_max) {
    return wrong(at, fmt::format("must have at most {} bytes", bytes_max));
  }
  return text;
}

Result<int64_t> read_integer(const JsonPlace& at, Range range) {
  const std::optional<int64_t> number = whole_number(at.value());
  if (!number || *number < range.min || *number > range.max) {
    return wrong(at, fmt::format("must be a whole number from {} to {}", range.min, range.max));
  }
  return *number;
}

Result<base::Duration> read_duration(const JsonPlace& at, const DurationRange& range) {
  const std::string limits =
      fmt::format("must be a duration from {} to {}, for example \"1h30m\"",
                  text::duration_text(range.min), text::duration_text(range.max));
  if (at.kind() != JsonKind::kString) {
    return wrong(at, limits);
  }
  TRY(const base::Duration duration, named(at, text::parse_duration(at.value().as_string())));
  if (duration < range.min || duration > range.max) {
    return wrong(at, limits);
  }
  return duration;
}

Result<bool> check_fields(const JsonPlace& at, std::span<const std::string_view> known) {
  if (at.kind() != JsonKind::kObject) {
    return at.path().empty() ? base::fail(ErrorCode::kInvalid, "the body must be a JSON object")
                             : wrong(at, "must be an object");
  }
  for (const match::JsonMember member : at.value().members()) {
    if (std::ranges::find(known, member.key) != known.end()) {
      continue;
    }
    const std::string_view nearest = base::nearest_name(member.key, known);
    return wrong(at.at(member),
                 nearest.empty()
                     ? "there is no such field"
                     : fmt::format("there is no such field; did you mean \"{}\"?", nearest));
  }
  return true;
}

}  // namespace registry
