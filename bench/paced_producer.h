// Publishes single events at a steady rate, whatever becomes of the answers: an open loop, as
// producers are who do not know of each other. At most 256 wait for their answers at a time; whose
// turn it is meanwhile is sent later.
//
// Each payload is stamped with the time at which its turn was, not with the time at which it was
// sent: a producer that is held up by the server counts that against the server, up to a
// millisecond too much, since turns are looked for every millisecond.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/time.h"
#include "bench/served.h"

namespace bench {

struct Pace {
  double per_second = 0;
  base::Duration length;
  size_t topics = 1;  // events go to them in turn
};

// How many were published, all of them accepted; any other answer ends the program.
uint64_t publish_at(const Served& server, const Pace& pace);

}  // namespace bench
