// The shapes that a tenant's subscriptions have, and the fields whose values they pin. Both are few
// on purpose: each costs every event of the tenant a lookup. What finds no room is filed more
// coarsely, and costs an evaluation instead.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/prefetch.h"
#include "match/equality.h"
#include "match/shape.h"

namespace match {

class ShapesInUse {
 public:
  static constexpr size_t kShapesMax = 64;
  static constexpr size_t kFieldsMax = 16;

  struct Entry {
    Shape shape;
    uint8_t field = 0;   // its place in Values; 0: none is pinned
    uint32_t users = 0;  // 0: the place is free
  };

  // For each field what an event has there, as pinned_value(). The first stands for "no field".
  using Values = std::array<std::optional<uint64_t>, kFieldsMax + 1>;

  // `field` may be null: none is pinned. There is always room for Shape::catch_all() without one.
  bool has_room(const Shape& shape, const FieldPath* field) const;
  // has_room() must have said so. Returns the number to release it by.
  uint16_t acquire(const Shape& shape, const FieldPath* field);
  void release(uint16_t number);

  std::span<const Entry> entries() const { return entries_; }
  Values values_in(const States& states) const;

  // Asks for the first of each to be brought into the cache.
  void prefetch() const {
    base::prefetch(entries_.data(), sizeof(Entry));
    base::prefetch(fields_.data(), sizeof(Field));
  }

 private:
  struct Field {
    FieldPath path;
    uint64_t path_hash = 0;
    uint32_t users = 0;
  };

  // The place of what is in use, or nothing.
  std::optional<uint8_t> find_field(const FieldPath* field) const;
  std::optional<uint16_t> find(const Shape& shape, uint8_t field) const;
  uint8_t place_field(const FieldPath& path);

  std::vector<Entry> entries_;
  std::vector<Field> fields_;
};

}  // namespace match
