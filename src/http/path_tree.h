// Finds which of many path patterns a path fits, segment by segment.
//
// A pattern is "/v1/events/{id}": literal segments, and names in braces that take any one segment.
// A literal goes before a name, and there is no way back: under /v1/events/search a pattern with
// {id} in that place is not looked at. Two patterns that differ only in names are one place.
// Paths are not repaired: no dot segments, no doubled or trailing slashes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/method.h"

namespace http {

class PathTree {
 public:
  // No route.
  static constexpr size_t kNone = SIZE_MAX;

  // Where a path leads: a route per method, and what the names stand for.
  struct Place {
    std::array<size_t, kMethodCount> routes;
    std::vector<std::string> values;  // decoded, in the order of the names
  };

  PathTree();

  // A malformed or doubled pattern is a mistake in our own table: it stops the process.
  void add(Method method, std::string_view pattern, size_t route);
  // Nothing if no pattern fits. An escape that cannot be decoded fits none.
  std::optional<Place> find(std::string_view path) const;

  // The names in a pattern, in their order.
  static std::vector<std::string_view> names_of(std::string_view pattern);

 private:
  struct Node {
    std::map<std::string, size_t, std::less<>> literals;  // nodes by segment
    size_t named = kNone;                                 // the node under a name
    std::array<size_t, kMethodCount> routes;
  };

  size_t add_node();
  size_t descend(size_t node, std::string_view segment);

  std::vector<Node> nodes_;
};

}  // namespace http
