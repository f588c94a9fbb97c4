// Asks for memory to be brought into the cache before it is looked at.
#pragma once

#include <cstdint>

namespace base {

// The first `lines` cache lines from `address` on. A hint and no access: the address may be null,
// and the lines may reach beyond what lies there, so they are counted as numbers and not as
// pointers, for which that would not be defined.
inline void prefetch_lines(const void* address, int lines) {
  constexpr uintptr_t kLineBytes = 64;
  auto line = reinterpret_cast<uintptr_t>(address);
  for (int i = 0; i < lines; ++i, line += kLineBytes) {
    __builtin_prefetch(reinterpret_cast<const void*>(line));  // NOLINT(performance-no-int-to-ptr)
  }
}

}  // namespace base
