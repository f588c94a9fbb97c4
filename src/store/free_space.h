// The watermark: publishes are refused before the disk is full, so that what was accepted can still
// be delivered and recorded.
//
// SpaceJudge decides, from numbers alone; read_disk_space asks the system for them. Neither acts:
// the store refuses publishes while the judge says so, and goes on with everything else.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace store {

struct DiskSpace {
  uint64_t total_bytes = 0;
  uint64_t available_bytes = 0;  // for an ordinary user, without what is kept for root
};

struct SpaceLimits {
  uint64_t reserve_bytes = 0;     // publishes are refused below this
  uint64_t hysteresis_bytes = 0;  // and accepted again from so much above it
};

// What holds when nothing is configured: 256 MiB or a fiftieth of the disk, whichever is more, and
// an eighth of it as hysteresis. A disk smaller than that needs limits of its own.
SpaceLimits default_space_limits(uint64_t total_bytes);
// With a configured reserve: the same hysteresis in proportion.
SpaceLimits space_limits(uint64_t reserve_bytes);

class SpaceJudge {
 public:
  explicit SpaceJudge(SpaceLimits limits) : limits_(limits) {}

  // Takes in a new reading; true if publishes may be accepted.
  bool judge(uint64_t available_bytes);
  bool accepts() const { return accepts_; }
  // For the answer to a refused publish and for readiness.
  std::string reason(uint64_t available_bytes) const;

 private:
  SpaceLimits limits_;
  bool accepts_ = true;
};

base::Result<DiskSpace> read_disk_space(const std::string& directory);

}  // namespace store
