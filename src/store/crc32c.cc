#include "store/crc32c.h"

#include <array>
#include <cstring>

#ifdef __x86_64__
#include <nmmintrin.h>
#endif

namespace store {

bool is_crc32c_sound() { return rocksdb::crc32c::Extend(0, "123456789", 9) == 0xe306'9283U; }

}  // namespace store

#ifdef __x86_64__

namespace store {
namespace {

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

constexpr std::array<uint32_t, 256> make_table() {
  constexpr uint32_t kPolynomial = 0x82f6'3b78U;
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < table.size(); ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? kPolynomial : 0);
    }
    table[byte] = crc;
  }
  return table;
}

}  // namespace

uint32_t extend_by_table(uint32_t before, const char* bytes, size_t size) {
  static constexpr std::array<uint32_t, 256> kTable = make_table();
  uint32_t crc = before ^ 0xffff'ffffU;
  for (; size > 0; --size, ++bytes) {
    crc = (crc >> 8U) ^ kTable[(crc ^ static_cast<uint8_t>(*bytes)) & 0xffU];
  }
  return crc ^ 0xffff'ffffU;
}

}  // namespace store

namespace rocksdb::crc32c {

uint32_t Extend(uint32_t before, const char* bytes, size_t size) {
  static const bool kHasInstruction = __builtin_cpu_supports("sse4.2") != 0;
  return kHasInstruction ? store::extend_fast(before, bytes, size)
                         : store::extend_by_table(before, bytes, size);
}

}  // namespace rocksdb::crc32c

#endif
