// Asks for memory to be brought into the cache before it is looked at.
#pragma once

#include <cstddef>
#include <cstdint>

namespace base {

// Every cache line that these bytes touch. A hint and no access: the address may be null, and the
// bytes may reach beyond what lies there, so lines are counted as numbers and not as pointers, for
// which that would not be defined.
inline void prefetch(const void* address, size_t bytes) {
  constexpr uintptr_t kLineBytes = 64;
  const auto begin = reinterpret_cast<uintptr_t>(address);
  for (uintptr_t line = begin & ~(kLineBytes - 1); line < begin + bytes; line += kLineBytes) {
    __builtin_prefetch(reinterpret_cast<const void*>(line));  // NOLINT(performance-no-int-to-ptr)
    // Or else GCC takes a function that does nothing else for one without effect, and leaves it
    // out.
    asm volatile("" : : "r"(line));
  }
}

}  // namespace base
