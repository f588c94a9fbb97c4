#include "http/fields.h"

#include "http/grammar.h"

namespace http {

std::optional<std::string_view> Fields::find(std::string_view name) const {
  for (const FieldPlace& place : places_) {
    if (equals_ignoring_case(place.name.in(head_), name)) {
      return place.value.in(head_);
    }
  }
  return std::nullopt;
}

size_t Fields::count(std::string_view name) const {
  size_t found = 0;
  for (const FieldPlace& place : places_) {
    found += equals_ignoring_case(place.name.in(head_), name) ? 1 : 0;
  }
  return found;
}

}  // namespace http
