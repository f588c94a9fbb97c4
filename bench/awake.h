// Keeps the processors from sleeping while something is measured.
//
// A virtual processor with nothing to do is handed back to its host, and gets up late: on a shared
// machine by milliseconds, now and then, which is more than most of what is measured here and
// differs from run to run. While this lives the kernel waits for work without letting go of the
// processor: it is asked to by the device for those who cannot bear to be woken late.
//
// Not a process that spins at the lowest priority: to the scheduler such a processor is never idle,
// so it takes no work from one that has too much.
#pragma once

namespace bench {

class Awake {
 public:
  Awake();
  ~Awake();

  Awake(const Awake&) = delete;
  Awake& operator=(const Awake&) = delete;

 private:
  int request_;  // holds for as long as it is open
};

}  // namespace bench
