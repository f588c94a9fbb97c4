#include "match/shape.h"

#include <algorithm>
#include <bit>

#include "base/hash.h"

namespace match {

static_assert(kTypeWordsMax <= 16, "pinned_words has a bit for each");

Shape Shape::of(const Subscription& subscription) {
  Shape shape{.pins_object_code = !subscription.object_code.empty(),
              .pins_object_id = !subscription.object_id.empty()};
  for (std::string_view rest = subscription.type_pattern; !rest.empty();) {
    const std::string_view word = take_word(rest);
    if (word == "**") {
      shape.has_open_end = true;
      break;
    }
    if (word != "*") {
      shape.pinned_words = static_cast<uint16_t>(shape.pinned_words | (1U << shape.words));
    }
    ++shape.words;
  }
  return shape;
}

SelectionHashes::SelectionHashes(std::string_view type, std::string_view object_code,
                                 std::string_view object_id)
    : object_code_(base::hash_bytes(object_code)), object_id_(base::hash_bytes(object_id)) {
  while (!type.empty() && word_count_ < kTypeWordsMax) {
    words_[word_count_++] = base::hash_bytes(take_word(type));
  }
}

std::optional<uint64_t> SelectionHashes::key(const Shape& shape, uint64_t pinned_value) const {
  const bool fits = shape.has_open_end ? word_count_ > shape.words : word_count_ == shape.words;
  if (!fits) {
    return std::nullopt;
  }
  uint64_t hash =
      base::mix((uint64_t{shape.pinned_words} << 32U) | (uint64_t{shape.words} << 16U) |
                (uint64_t{shape.has_open_end} << 2U) | (uint64_t{shape.pins_object_code} << 1U) |
                uint64_t{shape.pins_object_id});
  for (uint32_t pinned = shape.pinned_words; pinned != 0; pinned &= pinned - 1) {
    hash = base::mix(hash ^ words_[static_cast<size_t>(std::countr_zero(pinned))]);
  }
  if (shape.pins_object_code) {
    hash = base::mix(hash ^ object_code_);
  }
  if (shape.pins_object_id) {
    hash = base::mix(hash ^ object_id_);
  }
  if (pinned_value != 0) {
    hash = base::mix(hash ^ pinned_value);
  }
  return std::max<uint64_t>(hash, 1);
}

}  // namespace match
