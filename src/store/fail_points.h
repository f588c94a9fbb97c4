// Named durable steps, for tests that kill the process exactly there.
//
//   FAIL_POINT("mark.before_write");
//
// In the product this is only a check at compile time that the name is in the table below. In the
// library postrider_store_failpoints, which the crash tests link, it counts how often the step was
// passed, and the process kills itself with SIGKILL where the environment says so:
//
//   POSTRIDER_KILL_AT=mark.before_write:3      at the third time
//
// A test compares this table with the sources: no name without a step, no step without a name.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace store {

inline constexpr auto kFailPoints = std::to_array<std::string_view>({
    "file.before_create",
    "file.after_create",
    "file.before_append",
    "file.after_append",
    "file.before_sync",
    "file.after_sync",
    "file.before_rename",
    "file.after_rename",
    "file.before_remove",
    "file.after_remove",
    "commit.before_write",
    "commit.after_write",
    "commit.after_mark",
    "mark.before_write",
    "mark.after_write",
});

// The table's length if there is no such name.
constexpr size_t fail_point_index(std::string_view name) {
  return static_cast<size_t>(std::ranges::find(kFailPoints, name) - kFailPoints.begin());
}

#ifdef POSTRIDER_FAIL_POINTS
void pass_fail_point(size_t index);
#endif

}  // namespace store

#define POSTRIDER_KNOWN_FAIL_POINT(name)                                       \
  static_assert(::store::fail_point_index(name) < ::store::kFailPoints.size(), \
                "not in kFailPoints of store/fail_points.h")

#ifdef POSTRIDER_FAIL_POINTS
#define FAIL_POINT(name)                                       \
  do {                                                         \
    POSTRIDER_KNOWN_FAIL_POINT(name);                          \
    ::store::pass_fail_point(::store::fail_point_index(name)); \
  } while (false)
#else
#define FAIL_POINT(name) POSTRIDER_KNOWN_FAIL_POINT(name)
#endif
