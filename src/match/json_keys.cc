#include "match/json_keys.h"

#include <fmt/core.h>

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstring>

#include "match/json.h"
#include "match/quote.h"

namespace match {

namespace {

namespace dom = simdjson::dom;

// Up to here each key is compared with each by its mark; above it the keys are sorted, so that an
// object of 100 000 keys is no way to stop the server.
constexpr size_t kPairwiseMax = 64;
constexpr size_t kSeenBits = 1024;

uint32_t mark_of(std::string_view key) {
  uint64_t front = 0;
  uint64_t back = 0;
  const size_t size = std::min<size_t>(key.size(), sizeof front);
  std::memcpy(&front, key.data(), size);
  std::memcpy(&back, key.data() + key.size() - size, size);
  const uint64_t mixed =
      (front ^ (back * 0x9e3779b97f4a7c15ULL) ^ key.size()) * 0xbf58476d1ce4e5b9ULL;
  return static_cast<uint32_t>(mixed >> 32U);
}

}  // namespace

std::string JsonKeys::find_problem(dom::element root) {
  keys_.clear();
  marks_.clear();
  path_.clear();
  if (is_clean(root, 0)) {
    return {};
  }
  return path_.empty() ? problem_ : fmt::format("in {}: {}", path_, problem_);
}

bool JsonKeys::is_clean(dom::element value, size_t depth) {
  const dom::element_type type = value.type();
  if (type != dom::element_type::ARRAY && type != dom::element_type::OBJECT) {
    return true;
  }
  if (depth == kJsonDepthMax) {
    problem_ = fmt::format("nested more than {} deep", kJsonDepthMax);
    return false;
  }
  return type == dom::element_type::ARRAY
             ? is_clean_array(value.get_array().value_unsafe(), depth + 1)
             : is_clean_object(value.get_object().value_unsafe(), depth + 1);
}

bool JsonKeys::is_clean_array(dom::array array, size_t depth) {
  size_t index = 0;
  for (const dom::element element : array) {
    if (!is_clean(element, depth)) {
      return refuse_within(fmt::format("[{}]", index));
    }
    ++index;
  }
  return true;
}

bool JsonKeys::is_clean_object(dom::object object, size_t depth) {
  const size_t first = keys_.size();
  for (const dom::key_value_pair member : object) {
    keys_.push_back(member.key);
    marks_.push_back(mark_of(member.key));
    if (!is_clean(member.value, depth)) {
      return refuse_within(quote(member.key));
    }
  }
  const std::optional<std::string_view> twin = find_twin(first);
  if (twin.has_value()) {
    problem_ = fmt::format("the key {} occurs twice; keep one of them", quote(*twin));
    return false;
  }
  keys_.resize(first);
  marks_.resize(first);
  return true;
}

bool JsonKeys::refuse_within(std::string_view step) {
  const bool needs_dot = !path_.empty() && path_[0] != '[';
  path_ = fmt::format("{}{}{}", step, needs_dot ? "." : "", path_);
  return false;
}

std::optional<std::string_view> JsonKeys::find_twin(size_t first) {
  if (keys_.size() - first <= kPairwiseMax) {
    return find_twin_by_marks(first);
  }
  const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(begin, keys_.end());
  const auto twin = std::adjacent_find(begin, keys_.end());
  return twin == keys_.end() ? std::nullopt : std::optional(*twin);
}

std::optional<std::string_view> JsonKeys::find_twin_by_marks(size_t first) const {
  std::bitset<kSeenBits> seen;  // of each mark a few bits: what is new there is new
  for (size_t later = first; later < keys_.size(); ++later) {
    const size_t bit = marks_[later] % kSeenBits;
    if (!seen.test(bit)) {
      seen.set(bit);
      continue;
    }
    for (size_t earlier = first; earlier < later; ++earlier) {
      if (marks_[earlier] == marks_[later] && keys_[earlier] == keys_[later]) {
        return keys_[later];
      }
    }
  }
  return std::nullopt;
}

}  // namespace match
