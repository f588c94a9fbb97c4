// The header fields of a request, as places in the bytes of its head: nothing is copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace http {

// A piece of a head. Heads are shorter than 64 KiB.
struct Place {
  uint16_t at = 0;
  uint16_t size = 0;

  std::string_view in(std::string_view head) const { return {head.data() + at, size}; }
};

struct FieldPlace {
  Place name;
  Place value;
};

struct Field {
  std::string_view name;
  std::string_view value;  // without blanks at its ends
};

// A view: valid as long as the request it came with.
class Fields {
 public:
  Fields() = default;
  Fields(std::string_view head, std::span<const FieldPlace> places)
      : head_(head), places_(places) {}

  size_t size() const { return places_.size(); }
  Field operator[](size_t index) const {
    return {.name = places_[index].name.in(head_), .value = places_[index].value.in(head_)};
  }

  // The value of the first field with this name, whatever its case.
  std::optional<std::string_view> find(std::string_view name) const;
  // How many fields have this name.
  size_t count(std::string_view name) const;

 private:
  std::string_view head_;
  std::span<const FieldPlace> places_;
};

}  // namespace http
