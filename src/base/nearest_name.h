// "There is no 'fitlers'; did you mean 'filters'?": the known name that a mistyped one is nearest
// to.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace base {

// How many letters must be changed, added, left out or swapped with their neighbour to make one
// word of the other. Upper and lower case are the same letter.
inline size_t edit_distance(std::string_view left, std::string_view right) {
  const auto is_same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  std::vector<size_t> before(right.size() + 1);
  std::vector<size_t> above(right.size() + 1);
  std::vector<size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= left.size(); ++i) {
    std::swap(before, above);
    std::swap(above, row);
    row[0] = i;
    for (size_t j = 1; j <= right.size(); ++j) {
      const size_t changed = above[j - 1] + (is_same(left[i - 1], right[j - 1]) ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, changed});
      const bool is_swapped = i > 1 && j > 1 && is_same(left[i - 1], right[j - 2]) &&
                              is_same(left[i - 2], right[j - 1]);
      if (is_swapped) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[right.size()];
}

// Empty if none is near enough to be meant: at most three letters, and half of them, may differ.
inline std::string_view nearest_name(std::string_view name,
                                     std::span<const std::string_view> known) {
  constexpr size_t kApartMax = 3;
  std::string_view nearest;
  size_t least = kApartMax + 1;
  for (const std::string_view candidate : known) {
    if (name.size() > candidate.size() + kApartMax) {
      continue;
    }
    const size_t apart = edit_distance(name, candidate);
    if (apart < least && apart * 2 <= candidate.size()) {
      least = apart;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace base
