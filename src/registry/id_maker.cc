#include "registry/id_maker.h"

#include <algorithm>

#include "secrets/secret_bytes.h"

namespace registry {

uint64_t IdMaker::next() {
  constexpr uint32_t kChanceBits = 20;
  uint64_t chance = 0;
  for (const uint8_t byte : secrets::SecretBytes::random(3).bytes()) {
    chance = chance << 8U | byte;
  }
  const auto time = static_cast<uint64_t>(scheduler_.now().ms()) << kChanceBits;
  last_ = std::max(last_ + 1, time | (chance & ((1U << kChanceBits) - 1)));
  return last_;
}

}  // namespace registry
