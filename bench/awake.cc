#include "bench/awake.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdint>

namespace bench {

Awake::Awake() : request_(open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC)) {
  constexpr int32_t kLatestMicroseconds = 0;
  if (write(request_, &kLatestMicroseconds, sizeof(kLatestMicroseconds)) < 0) {
    fmt::print(stderr, "The processors may sleep (/dev/cpu_dma_latency): figures waver more.\n");
  }
}

Awake::~Awake() {
  if (request_ >= 0) {
    close(request_);
  }
}

}  // namespace bench
