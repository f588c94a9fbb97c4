#include "store/crc32c.h"

#include <dlfcn.h>

#include <cstring>

#include "base/check.h"

#ifdef __x86_64__
#include <nmmintrin.h>
#endif

namespace store {

bool is_crc32c_sound() { return rocksdb::crc32c::Extend(0, "123456789", 9) == 0xe306'9283U; }

}  // namespace store

#ifdef __x86_64__

namespace store {
namespace {

using Extend = uint32_t (*)(uint32_t, const char*, size_t);

constexpr const char* kExtendName = "_ZN7rocksdb6crc32c6ExtendEjPKcm";

__attribute__((target("sse4.2"))) uint32_t extend_fast(uint32_t before, const char* bytes,
                                                       size_t size) {
  uint64_t crc = before ^ 0xffff'ffffU;
  for (; size >= 8; size -= 8, bytes += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    crc = _mm_crc32_u64(crc, word);
  }
  auto rest = static_cast<uint32_t>(crc);
  for (; size > 0; --size, ++bytes) {
    rest = _mm_crc32_u8(rest, static_cast<uint8_t>(*bytes));
  }
  return rest ^ 0xffff'ffffU;
}

// The library's own: the next definition after ours.
Extend find_next() {
  auto* const next = reinterpret_cast<Extend>(dlsym(RTLD_NEXT, kExtendName));
  CHECK(next != nullptr);
  return next;
}

}  // namespace
}  // namespace store

namespace rocksdb::crc32c {

uint32_t Extend(uint32_t before, const char* bytes, size_t size) {
  static const bool kHasInstruction = __builtin_cpu_supports("sse4.2") != 0;
  if (kHasInstruction) {
    return store::extend_fast(before, bytes, size);
  }
  static const store::Extend kNext = store::find_next();
  return kNext(before, bytes, size);
}

}  // namespace rocksdb::crc32c

#endif
