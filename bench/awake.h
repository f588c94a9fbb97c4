// Keeps the processors from sleeping while something is measured.
//
// A virtual processor with nothing to do is handed back to its host, and gets up late: on a shared
// machine by milliseconds, now and then, which is more than most of what is measured here and
// differs from run to run. A child on each processor, at the lowest of all priorities, spins
// instead; it gives way at once to anything that has work.
#pragma once

#include <sys/types.h>

#include <vector>

namespace bench {

class Awake {
 public:
  Awake();
  ~Awake();

  Awake(const Awake&) = delete;
  Awake& operator=(const Awake&) = delete;

 private:
  std::vector<pid_t> spinners_;
};

}  // namespace bench
