#include "http/query.h"

#include <algorithm>
#include <utility>

#include "http/percent.h"

namespace http {

base::Result<Query> Query::parse(std::string_view text) {
  Query query;
  while (!text.empty()) {
    const size_t end = text.find('&');
    const std::string_view pair = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (pair.empty()) {
      continue;
    }
    base::Result<void> added = query.add(pair);
    if (!added.has_value()) {
      return std::unexpected(std::move(added.error()));
    }
  }
  return query;
}

base::Result<void> Query::add(std::string_view pair) {
  if (parameters_.size() == kParametersMax) {
    return base::fail(base::ErrorCode::kInvalid, "the query has more than 32 parameters");
  }
  const size_t mark = pair.find('=');
  auto name = percent_decode(pair.substr(0, mark), Plus::kIsBlank);
  auto value = mark == std::string_view::npos
                   ? std::string()
                   : percent_decode(pair.substr(mark + 1), Plus::kIsBlank);
  if (!name.has_value() || name->empty() || !value.has_value()) {
    return base::fail(base::ErrorCode::kInvalid,
                      "the query is not of the form name=value&name=value with escapes like %20");
  }
  if (find(*name).has_value()) {
    return base::fail(base::ErrorCode::kInvalid,
                      "the parameter '" + *name + "' is there twice; keep one");
  }
  parameters_.push_back({.name = *std::move(name), .value = *std::move(value)});
  return {};
}

std::optional<std::string_view> Query::find(std::string_view name) const {
  const auto found = std::ranges::find(parameters_, name, &Parameter::name);
  if (found == parameters_.end()) {
    return std::nullopt;
  }
  return found->value;
}

}  // namespace http
