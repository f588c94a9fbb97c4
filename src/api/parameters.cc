#include "api/parameters.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/nearest_name.h"
#include "match/quote.h"
#include "match/reading.h"
#include "text/quantity.h"

namespace api {
namespace {

Problem unknown_parameter(std::string_view name, std::span<const std::string_view> known) {
  std::string hint = "this path has no parameters";
  if (const std::string_view nearest = base::nearest_name(name, known); !nearest.empty()) {
    hint = fmt::format("did you mean \"{}\"?", nearest);
  } else if (!known.empty()) {
    hint = fmt::format("the parameters are {}", fmt::join(known, ", "));
  }
  return {.status = 400,
          .code = "unknown_parameter",
          .message = fmt::format("there is no parameter {}", match::quote(name)),
          .field = std::string(name.substr(0, 100)),
          .hint = std::move(hint)};
}

}  // namespace

std::expected<Parameters, Problem> Parameters::parse(const http::Request& request,
                                                     std::span<const std::string_view> known) {
  auto query = http::Query::parse(request.query);
  if (!query.has_value()) {
    return std::unexpected(problem_of(query.error()));
  }
  for (const http::Parameter& parameter : query->parameters()) {
    if (std::ranges::find(known, parameter.name) == known.end()) {
      return std::unexpected(unknown_parameter(parameter.name, known));
    }
  }
  return Parameters(*std::move(query));
}

std::optional<std::string_view> Parameters::find(std::string_view name) const {
  const std::optional<std::string_view> value = query_.find(name);
  return value && value->empty() ? std::nullopt : value;
}

std::expected<uint32_t, Problem> Parameters::limit(uint32_t otherwise, uint32_t most) const {
  const std::optional<std::string_view> value = find("limit");
  if (!value) {
    return otherwise;
  }
  const base::Result<int64_t> number = text::parse_integer(*value);
  if (!number.has_value() || *number < 1 || *number > most) {
    return std::unexpected(
        invalid("limit", fmt::format("the limit is not a number from 1 to {}", most)));
  }
  return static_cast<uint32_t>(*number);
}

std::expected<std::optional<base::Instant>, Problem> Parameters::time(std::string_view name) const {
  const std::optional<std::string_view> value = find(name);
  if (!value) {
    return std::optional<base::Instant>();
  }
  const std::optional<match::Moment> moment = match::read_moment(*value);
  if (!moment || moment->seconds < 0) {
    return std::unexpected(invalid(name, "it is not a date, or a date and time, since 1970",
                                   "for example 2026-11-16T06:25:00Z"));
  }
  return base::Instant::from_ms(moment->seconds * 1000 + moment->nanos / 1'000'000);
}

Problem Parameters::no_id(std::string_view name, std::string_view example) {
  return invalid(name, "it is not an id of this kind", fmt::format("ids look like {}", example));
}

}  // namespace api
