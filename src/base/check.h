// CHECK: an invariant of ours that must hold; when it does not, the process stops.
//
// On in every build. A broken invariant means that the program no longer knows what it does, and a
// webhook server that guesses loses money. Dying is safe because everything acknowledged is
// durable; the simulator's crashes prove it. Never use CHECK for what a user, a receiver or a disk
// can cause.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace base {

[[noreturn]] inline void check_failed(const char* file, int line, const char* what) {
  std::fprintf(stderr, "%s:%d: CHECK failed: %s\n", file, line, what);
  std::abort();
}

[[noreturn]] inline void check_failed(const char* file, int line, const char* what, long long left,
                                      long long right) {
  std::fprintf(stderr, "%s:%d: CHECK failed: %s (%lld vs %lld)\n", file, line, what, left, right);
  std::abort();
}

}  // namespace base

#define CHECK(condition)                                    \
  do {                                                      \
    if (!(condition)) [[unlikely]] {                        \
      ::base::check_failed(__FILE__, __LINE__, #condition); \
    }                                                       \
  } while (false)

// For integers and enumerations: prints both values.
#define CHECK_COMPARE(left, op, right)                                   \
  do {                                                                   \
    const auto check_left = (left);                                      \
    const auto check_right = (right);                                    \
    if (!(check_left op check_right)) [[unlikely]] {                     \
      ::base::check_failed(__FILE__, __LINE__, #left " " #op " " #right, \
                           static_cast<long long>(check_left),           \
                           static_cast<long long>(check_right));         \
    }                                                                    \
  } while (false)

#define CHECK_EQ(left, right) CHECK_COMPARE(left, ==, right)
#define CHECK_NE(left, right) CHECK_COMPARE(left, !=, right)
#define CHECK_LT(left, right) CHECK_COMPARE(left, <, right)
#define CHECK_LE(left, right) CHECK_COMPARE(left, <=, right)
#define CHECK_GT(left, right) CHECK_COMPARE(left, >, right)
#define CHECK_GE(left, right) CHECK_COMPARE(left, >=, right)
