#include "bench/slow_attack.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <ctime>

#include "base/check.h"
#include "bench/payloads.h"

namespace bench {
namespace {

constexpr int kConnections = 1000;
constexpr int kConnectionsPerSecond = 250;
constexpr int kSecondsMax = 120;
constexpr base::Duration kFeltWithin = base::Duration::seconds(30);
// Half a hundredth of one processor.
constexpr int64_t kTurnNs = 1'000'000;
constexpr int64_t kPeriodNs = 200 * kTurnNs;

std::vector<std::string> command(const Served& server, const SlowMode& mode) {
  std::vector<std::string> words = {"slowhttptest"};
  words.insert(words.end(), mode.flags.begin(), mode.flags.end());
  const std::vector<std::string> others = {
      "-c", std::to_string(kConnections), "-r", std::to_string(kConnectionsPerSecond), "-l",
      std::to_string(kSecondsMax), "-v", "0",
      // It has no flag for a key, but takes whatever it is given here.
      "-m", fmt::format("*/*\r\nAuthorization: Bearer {}", server.key()), "-u",
      server.url(mode.path)};
  words.insert(words.end(), others.begin(), others.end());
  return words;
}

// The child: becomes the attacker.
[[noreturn]] void run(std::vector<std::string> words) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  std::perror(arguments.front());
  _exit(1);
}

int64_t cpu_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void wait_until(int64_t end_ns) {
  const int64_t left = end_ns - nanoseconds_now();
  if (left > 0) {
    poll(nullptr, 0, static_cast<int>(left / 1'000'000 + 1));
  }
}

// The other child: the attacker gives way to everybody, and stops whenever it has had its share.
[[noreturn]] void hold_back(pid_t attacker) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const sched_param lowest{};
  sched_setscheduler(attacker, SCHED_IDLE, &lowest);
  clockid_t clock{};
  while (clock_getcpuclockid(attacker, &clock) == 0 && kill(attacker, SIGCONT) == 0) {
    const int64_t begin = nanoseconds_now();
    const int64_t share_ends = cpu_ns(clock) + kTurnNs;
    while (cpu_ns(clock) < share_ends && nanoseconds_now() < begin + kPeriodNs) {
      wait_until(nanoseconds_now() + kTurnNs);
    }
    kill(attacker, SIGSTOP);
    wait_until(begin + kPeriodNs);
  }
  _exit(0);
}

void end(pid_t child) {
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

}  // namespace

const std::array<SlowMode, 4>& slow_modes() {
  static const std::array<SlowMode, 4> kModes = {{
      {.key = "slow_heads",
       .words = "p99 under slow heads, times that without",
       .alone_key = "slow_heads_without",
       .alone_words = "p99 without slow heads, ms",
       .flags = {"-H", "-i", "1"},
       .path = "/v1/events"},
      {.key = "slow_bodies",
       .words = "p99 under slow bodies, times that without",
       .alone_key = "slow_bodies_without",
       .alone_words = "p99 without slow bodies, ms",
       .flags = {"-B", "-i", "1", "-f", "application/json", "-s", "65536"},
       .path = "/v1/events"},
      {.key = "slow_readers",
       .words = "p99 under slow readers, times that without",
       .alone_key = "slow_readers_without",
       .alone_words = "p99 without slow readers, ms",
       .flags = {"-X", "-k", "3"},
       .path = "/metrics"},
      {.key = "ranges",
       .words = "p99 under ranges, times that without",
       .alone_key = "ranges_without",
       .alone_words = "p99 without ranges, ms",
       .flags = {"-R"},
       .path = "/metrics",
       .holds_connections = false},
  }};
  return kModes;
}

SlowAttack::SlowAttack(const Served& server, const SlowMode& mode) : attacker_(fork()) {
  CHECK(attacker_ >= 0);
  if (attacker_ == 0) {
    run(command(server, mode));
  }
  if (mode.holds_connections) {
    CHECK(server.wait_until([&server] { return server.descriptors() >= kConnections / 2; },
                            kFeltWithin));
  }
  keeper_ = fork();
  CHECK(keeper_ >= 0);
  if (keeper_ == 0) {
    hold_back(attacker_);
  }
}

SlowAttack::~SlowAttack() {
  end(keeper_);
  end(attacker_);
}

void SlowAttack::check_is_under_way() const {
  CHECK_EQ(waitpid(attacker_, nullptr, WNOHANG), 0);
  CHECK_EQ(waitpid(keeper_, nullptr, WNOHANG), 0);
}

}  // namespace bench
