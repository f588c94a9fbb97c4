#include "http/route_table.h"

#include <algorithm>

#include "base/check.h"

namespace http {

const std::string& PathValues::operator[](std::string_view name) const {
  const auto found = std::ranges::find(names_, name);
  CHECK(found != names_.end());
  return values_[static_cast<size_t>(found - names_.begin())];
}

size_t route_for(Method method, const PathTree::Place& place) {
  const size_t own = place.routes[static_cast<size_t>(method)];
  if (own == PathTree::kNone && method == Method::kHead) {
    return place.routes[static_cast<size_t>(Method::kGet)];
  }
  return own;
}

std::string allowed_methods(const PathTree::Place& place) {
  std::string allow;
  for (int number = 0; number < kMethodCount; ++number) {
    const auto method = static_cast<Method>(number);
    if (route_for(method, place) != PathTree::kNone) {
      allow.append(allow.empty() ? "" : ", ").append(to_word(method));
    }
  }
  return allow;
}

}  // namespace http
