// What a read or write on a non-blocking connection came to.
#pragma once

#include <cstddef>
#include <cstdint>

namespace net {

enum class IoState : uint8_t {
  kDone,  // `bytes` were moved, at least one
  kWantsRead,
  kWantsWrite,
  kEnd,     // the other side ended the stream
  kBroken,  // reset, or no TLS any more
};

struct IoResult {
  IoState state;
  size_t bytes = 0;
};

}  // namespace net
