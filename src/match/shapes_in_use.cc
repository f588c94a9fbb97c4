#include "match/shapes_in_use.h"

#include <algorithm>

#include "base/check.h"

namespace match {

namespace {

// The place of the first unused item, which may be behind the last.
template <class Item>
size_t free_place(const std::vector<Item>& items) {
  return static_cast<size_t>(std::ranges::find(items, 0U, &Item::users) - items.begin());
}

}  // namespace

bool ShapesInUse::has_room(const Shape& shape, const FieldPath* field) const {
  const std::optional<uint8_t> place = find_field(field);
  if (!place.has_value() && free_place(fields_) >= kFieldsMax) {
    return false;
  }
  if (place.has_value() && find(shape, *place).has_value()) {
    return true;
  }
  // The last place is kept for the shape under which everything can be filed.
  const bool is_catch_all = shape == Shape::catch_all() && field == nullptr;
  return free_place(entries_) < (is_catch_all ? kShapesMax : kShapesMax - 1);
}

uint16_t ShapesInUse::acquire(const Shape& shape, const FieldPath* field) {
  CHECK(has_room(shape, field));
  const std::optional<uint8_t> known_field = find_field(field);
  const uint8_t place = known_field.has_value() ? *known_field : place_field(*field);
  const auto number = find(shape, place).value_or(static_cast<uint16_t>(free_place(entries_)));
  if (number == entries_.size()) {
    entries_.emplace_back();
  }
  Entry& entry = entries_[number];
  entry.shape = shape;
  entry.field = place;
  ++entry.users;
  if (place != 0) {
    ++fields_[place - 1U].users;
  }
  return number;
}

void ShapesInUse::release(uint16_t number) {
  Entry& entry = entries_[number];
  CHECK(entry.users > 0);
  --entry.users;
  if (entry.field != 0) {
    --fields_[entry.field - 1U].users;
  }
}

ShapesInUse::Values ShapesInUse::values_in(const States& states) const {
  Values values;
  values[0] = 0;
  for (size_t place = 0; place < fields_.size(); ++place) {
    const Field& field = fields_[place];
    const std::optional<uint64_t> value =
        field.users == 0 ? std::nullopt : value_hash(states, field.path);
    if (value.has_value()) {
      values[place + 1] = pinned_value(field.path_hash, *value);
    }
  }
  return values;
}

std::optional<uint8_t> ShapesInUse::find_field(const FieldPath* field) const {
  if (field == nullptr) {
    return 0;
  }
  for (size_t place = 0; place < fields_.size(); ++place) {
    if (fields_[place].users > 0 && fields_[place].path == *field) {
      return static_cast<uint8_t>(place + 1);
    }
  }
  return std::nullopt;
}

std::optional<uint16_t> ShapesInUse::find(const Shape& shape, uint8_t field) const {
  for (size_t number = 0; number < entries_.size(); ++number) {
    const Entry& entry = entries_[number];
    if (entry.users > 0 && entry.field == field && entry.shape == shape) {
      return static_cast<uint16_t>(number);
    }
  }
  return std::nullopt;
}

uint8_t ShapesInUse::place_field(const FieldPath& path) {
  const size_t place = free_place(fields_);
  if (place == fields_.size()) {
    fields_.emplace_back();
  }
  fields_[place] = {.path = path, .path_hash = path.hash(), .users = 0};
  return static_cast<uint8_t>(place + 1);
}

}  // namespace match
