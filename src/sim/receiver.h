// What a receiver can be like. A script is a list of moods over time; the last one stays.
#pragma once

#include <cstdint>
#include <vector>

#include "base/prng.h"
#include "base/time.h"
#include "sim/sim_transport.h"

namespace sim {

enum class Mood : uint8_t {
  kUp,
  kStatus,        // answers with `status`
  kFlapping,      // up and down in turns of `period`
  kSlow,          // answers 200 after `latency`, which may be past the deadline
  kHang,          // never answers
  kReset,         // breaks the connection
  kThrottling,    // 429 or 503 with Retry-After
  kReplyLost,     // acts on the request, then breaks the connection
  kSometimes,     // fails `percent` of the attempts
  kNoDescriptor,  // `percent` of the attempts cannot start, for a reason of our own
};

struct Behaviour {
  Mood mood = Mood::kUp;
  base::Duration latency = base::Duration::ms(20);
  uint16_t status = 503;
  base::Duration period = base::Duration::minutes(10);
  base::Duration retry_after;
  uint32_t percent = 50;
};

struct Phase {
  base::Duration from;  // since the beginning of the run
  Behaviour behaviour;
};

class Receiver {
 public:
  // Phases in order of time, the first from 0.
  Receiver(std::vector<Phase> phases, uint64_t seed) : phases_(std::move(phases)), prng_(seed) {}

  Reply reply(base::Duration elapsed);

 private:
  std::vector<Phase> phases_;
  base::Prng prng_;
};

}  // namespace sim
