// The parameters of a query, each of a name that the route knows, read as what they stand for. What
// is wrong with one is said in its name; an unknown one is refused, for it would silently ask for
// something else.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "api/problem.h"
#include "base/time.h"
#include "http/query.h"
#include "http/request.h"

namespace api {

class Parameters {
 public:
  static std::expected<Parameters, Problem> parse(const http::Request& request,
                                                  std::span<const std::string_view> known);

  // Nothing if it is not there, or empty.
  std::optional<std::string_view> find(std::string_view name) const;

  // "limit": from 1 up to `most`.
  std::expected<uint32_t, Problem> limit(uint32_t otherwise, uint32_t most) const;
  // An ISO 8601 date, or date and time.
  std::expected<std::optional<base::Instant>, Problem> time(std::string_view name) const;

  // An id, as one of the functions of text/id_text.h reads it.
  template <class Id>
  std::expected<std::optional<Id>, Problem> id(std::string_view name,
                                               std::optional<Id> (*read)(std::string_view),
                                               std::string_view example) const {
    const std::optional<std::string_view> text = find(name);
    if (!text) {
      return std::optional<Id>();
    }
    const std::optional<Id> found = read(*text);
    if (!found) {
      return std::unexpected(no_id(name, example));
    }
    return found;
  }

 private:
  explicit Parameters(http::Query query) : query_(std::move(query)) {}
  static Problem no_id(std::string_view name, std::string_view example);

  http::Query query_;
};

}  // namespace api
