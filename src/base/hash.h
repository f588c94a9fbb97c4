// Integer mixing whose results are part of what we promise (jitter, shards): never std::hash, which
// may differ between libraries and versions.
#pragma once

#include <cstdint>
#include <string_view>

namespace base {

// The finaliser of splitmix64: every input bit reaches every output bit.
constexpr uint64_t mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31U);
}

constexpr uint64_t mix(uint64_t first, uint64_t second) { return mix(mix(first) ^ second); }

// FNV-1a, finished by mix() because its high bits are weak on short strings.
constexpr uint64_t hash_bytes(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  }
  return mix(hash);
}

}  // namespace base
