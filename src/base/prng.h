// A seeded integer generator: the same seed gives the same run on every machine. No floats, no std
// distributions (their results differ between libraries).
#pragma once

#include <cstdint>

#include "base/check.h"
#include "base/hash.h"

namespace base {

class Prng {
 public:
  explicit Prng(uint64_t seed) : state_(seed) {}

  uint64_t next() { return mix(state_++); }

  // Uniform in [0, bound); the modulo bias is below 2^-32 for the bounds used here.
  uint64_t below(uint64_t bound) {
    CHECK(bound > 0);
    return next() % bound;
  }

  // Uniform in [low, high].
  int64_t range(int64_t low, int64_t high) {
    CHECK_LE(low, high);
    return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low) + 1));
  }

  bool chance(uint64_t percent) { return below(100) < percent; }
  bool chance_per_mille(uint64_t per_mille) { return below(1000) < per_mille; }

 private:
  uint64_t state_;
};

}  // namespace base
