// Subscriptions are found by hash, not by trying them. All that a tenant's subscriptions leave open
// or pin down in the same way have the same shape: "type pinned, object code pinned, any object".
// An event has one key per shape, and a lookup under it finds the subscriptions of that shape that
// may want the event. A tenant has few shapes, however many subscriptions it has.
//
// Beside the shape, the value of one field may be pinned, taken from an `eq` filter.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "match/subscription.h"
#include "match/type_pattern.h"

namespace match {

struct Shape {
  uint16_t pinned_words = 0;  // of the type: bit n for word n
  uint8_t words = 0;          // without a ** at the end
  bool has_open_end = false;  // there is a ** at the end
  bool pins_object_code = false;
  bool pins_object_id = false;

  bool operator==(const Shape&) const = default;

  static Shape of(const Subscription& subscription);
  // Pins nothing: everything can be filed under it.
  static Shape catch_all() { return {.has_open_end = true}; }
};

// The hashes that keys are made of: of an event, or of a subscription where it pins something.
class SelectionHashes {
 public:
  SelectionHashes(std::string_view type, std::string_view object_code, std::string_view object_id);

  // The key under a shape; nothing if the type does not have as many words. Never 0.
  // `pinned_value`: a hash of the field and its value, 0 if none is pinned.
  std::optional<uint64_t> key(const Shape& shape, uint64_t pinned_value) const;

 private:
  std::array<uint64_t, kTypeWordsMax> words_;
  size_t word_count_ = 0;
  uint64_t object_code_;
  uint64_t object_id_;
};

}  // namespace match
