// "There is no 'fiter'; did you mean 'filter'?": the known name that a mistyped one is nearest to.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace base {

// How many letters must be inserted, removed or replaced; upper and lower case are the same.
inline size_t edit_distance(std::string_view left, std::string_view right) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<size_t> row(right.size() + 1);
  for (size_t column = 0; column < row.size(); ++column) {
    row[column] = column;
  }
  for (size_t line = 1; line <= left.size(); ++line) {
    size_t diagonal = row[0];
    row[0] = line;
    for (size_t column = 1; column < row.size(); ++column) {
      const bool is_same = lower(left[line - 1]) == lower(right[column - 1]);
      const size_t replaced = diagonal + (is_same ? 0 : 1);
      diagonal = row[column];
      row[column] = std::min({replaced, row[column] + 1, row[column - 1] + 1});
    }
  }
  return row.back();
}

// Empty if none is near enough to be meant: at most a third of the letters may differ.
inline std::string_view nearest_name(std::string_view name,
                                     std::span<const std::string_view> known) {
  constexpr size_t kLongest = 64;
  std::string_view nearest;
  size_t least = std::min(name.size(), kLongest) / 3 + 2;
  for (const std::string_view candidate : known) {
    const size_t distance = name.size() > kLongest ? least : edit_distance(name, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace base
