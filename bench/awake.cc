#include "bench/awake.h"

#include <fmt/core.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/check.h"

namespace bench {
namespace {

[[noreturn]] void spin_on(int processor) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  const sched_param priority{};
  if (sched_setaffinity(0, sizeof(set), &set) != 0 ||
      sched_setscheduler(0, SCHED_IDLE, &priority) != 0) {
    // At any other priority it would take what it is to keep free.
    fmt::print(stderr, "Processor {} may sleep: the figures waver more.\n", processor);
    _exit(1);
  }
  // Not a pause instruction, at which a host may take the processor.
  volatile unsigned turns = 0;
  for (;;) {
    turns = turns + 1;
  }
}

}  // namespace

Awake::Awake() {
  cpu_set_t ours;
  CHECK_EQ(sched_getaffinity(0, sizeof(ours), &ours), 0);
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &ours)) {
      continue;
    }
    const pid_t child = fork();
    CHECK_GE(child, 0);
    if (child == 0) {
      spin_on(processor);
    }
    spinners_.push_back(child);
  }
}

Awake::~Awake() {
  for (const pid_t spinner : spinners_) {
    kill(spinner, SIGKILL);
    waitpid(spinner, nullptr, 0);
  }
}

}  // namespace bench
