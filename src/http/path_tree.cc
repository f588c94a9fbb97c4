#include "http/path_tree.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "http/percent.h"

namespace http {
namespace {

// Takes "/segment" off `path`, and returns the segment.
std::string_view take_segment(std::string_view& path) {
  const size_t end = path.find('/', 1);
  const std::string_view segment = path.substr(1, end == std::string_view::npos ? end : end - 1);
  path = end == std::string_view::npos ? std::string_view() : path.substr(end);
  return segment;
}

bool is_name(std::string_view segment) {
  return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

}  // namespace

PathTree::PathTree() { add_node(); }

size_t PathTree::add_node() {
  nodes_.emplace_back();
  nodes_.back().routes.fill(kNone);
  return nodes_.size() - 1;
}

void PathTree::add(Method method, std::string_view pattern, size_t route) {
  CHECK(pattern.starts_with('/'));
  size_t node = 0;
  while (!pattern.empty()) {
    node = descend(node, take_segment(pattern));
  }
  size_t& place = nodes_[node].routes[static_cast<size_t>(method)];
  CHECK_EQ(place, kNone);
  place = route;
}

// The node under this segment of a pattern; makes it if it is new.
size_t PathTree::descend(size_t node, std::string_view segment) {
  CHECK(is_name(segment) || segment.find_first_of("{}%") == std::string_view::npos);
  if (is_name(segment)) {
    if (nodes_[node].named == kNone) {
      const size_t added = add_node();
      nodes_[node].named = added;
    }
    return nodes_[node].named;
  }
  const auto found = nodes_[node].literals.find(segment);
  if (found != nodes_[node].literals.end()) {
    return found->second;
  }
  const size_t added = add_node();
  nodes_[node].literals.emplace(segment, added);
  return added;
}

std::optional<PathTree::Place> PathTree::find(std::string_view path) const {
  Place place;
  size_t node = 0;
  if (!path.starts_with('/')) {
    return std::nullopt;
  }
  while (!path.empty()) {
    std::optional<std::string> segment = percent_decode(take_segment(path), Plus::kIsPlus);
    if (!segment.has_value()) {
      return std::nullopt;
    }
    const auto literal = nodes_[node].literals.find(*segment);
    const bool is_literal = literal != nodes_[node].literals.end();
    node = is_literal ? literal->second : nodes_[node].named;
    if (node == kNone || (!is_literal && segment->empty())) {
      return std::nullopt;
    }
    if (!is_literal) {
      place.values.push_back(*std::move(segment));
    }
  }
  place.routes = nodes_[node].routes;
  const bool is_end =
      std::ranges::any_of(place.routes, [](size_t route) { return route != kNone; });
  return is_end ? std::optional(std::move(place)) : std::nullopt;
}

std::vector<std::string_view> PathTree::names_of(std::string_view pattern) {
  std::vector<std::string_view> names;
  while (!pattern.empty()) {
    const std::string_view segment = take_segment(pattern);
    if (is_name(segment)) {
      names.push_back(segment.substr(1, segment.size() - 2));
    }
  }
  return names;
}

}  // namespace http
