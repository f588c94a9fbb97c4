// All routes of a site, declared once, as rows. What answers a request, what the API document says
// and what the isolation tests try are all derived from the same rows.
//
// An Action is whatever the owner attaches to a row: a function, or nothing yet. HEAD is answered
// by the row of GET.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "http/method.h"
#include "http/path_tree.h"

namespace http {

// The description of a route. Texts are of constants.
struct Route {
  Method method;
  std::string_view path;     // "/v1/events/{id}"
  std::string_view scope;    // who may call it
  std::string_view summary;  // one line, for people
  size_t body_bytes_max = 0;
};

// What the names of a pattern stand for in one request.
class PathValues {
 public:
  PathValues(std::vector<std::string_view> names, std::vector<std::string> values)
      : names_(std::move(names)), values_(std::move(values)) {}

  // Asking for a name that the pattern does not have is a mistake of ours.
  const std::string& operator[](std::string_view name) const;

 private:
  std::vector<std::string_view> names_;
  std::vector<std::string> values_;
};

// A path that exists, under other methods; for the Allow header.
struct MethodNotAllowed {
  std::string allow;  // "GET, HEAD, POST"
};
struct NoSuchPath {};

template <class Action>
class RouteTable {
 public:
  struct Row {
    Route route;
    Action action;
  };
  struct Match {
    const Row* row;
    PathValues values;
  };

  explicit RouteTable(std::vector<Row> rows) : rows_(std::move(rows)) {
    for (size_t index = 0; index < rows_.size(); ++index) {
      tree_.add(rows_[index].route.method, rows_[index].route.path, index);
    }
  }

  std::span<const Row> rows() const { return rows_; }

  std::variant<Match, MethodNotAllowed, NoSuchPath> find(Method method,
                                                         std::string_view path) const;
  // How large a body may be: what the row says, or, where there is none, so much that a small
  // request can still be told why.
  size_t body_bytes_max(Method method, std::string_view path) const;

 private:
  static constexpr size_t kUnknownBodyBytesMax = size_t{64} * 1024;

  std::vector<Row> rows_;
  PathTree tree_;
};

// The route for this method among those of one place, or PathTree::kNone.
size_t route_for(Method method, const PathTree::Place& place);
// The methods that a place has, for the Allow header.
std::string allowed_methods(const PathTree::Place& place);

template <class Action>
std::variant<typename RouteTable<Action>::Match, MethodNotAllowed, NoSuchPath>
RouteTable<Action>::find(Method method, std::string_view path) const {
  std::optional<PathTree::Place> place = tree_.find(path);
  if (!place.has_value()) {
    return NoSuchPath{};
  }
  const size_t route = route_for(method, *place);
  if (route == PathTree::kNone) {
    return MethodNotAllowed{allowed_methods(*place)};
  }
  const Row& row = rows_[route];
  return Match{.row = &row,
               .values = PathValues(PathTree::names_of(row.route.path), std::move(place->values))};
}

template <class Action>
size_t RouteTable<Action>::body_bytes_max(Method method, std::string_view path) const {
  const std::optional<PathTree::Place> place = tree_.find(path);
  const size_t route = place.has_value() ? route_for(method, *place) : PathTree::kNone;
  return route == PathTree::kNone ? kUnknownBodyBytesMax : rows_[route].route.body_bytes_max;
}

}  // namespace http
