#include "bench/slow_attack.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "base/check.h"

namespace bench {
namespace {

constexpr int kConnections = 1000;
constexpr int kConnectionsPerSecond = 250;
constexpr int kSecondsMax = 120;
constexpr base::Duration kFeltWithin = base::Duration::seconds(30);

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

// The child: becomes the attacker. Attackers are other machines in truth, so it takes only what the
// processors have left.
[[noreturn]] void run(std::vector<std::string> words) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const sched_param lowest{};
  sched_setscheduler(0, SCHED_IDLE, &lowest);
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

}  // namespace

const std::array<SlowMode, 4>& slow_modes() {
  static const std::array<SlowMode, 4> kModes = {{
      {.key = "slow_heads",
       .words = "p99 under slow heads, times that without",
       .beside_key = "slow_heads_beside",
       .beside_words = "p99 beside slow heads, times that without",
       .flags = {"-H", "-i", "1"},
       .path = "/v1/events"},
      {.key = "slow_bodies",
       .words = "p99 under slow bodies, times that without",
       .beside_key = "slow_bodies_beside",
       .beside_words = "p99 beside slow bodies, times that without",
       .flags = {"-B", "-i", "1", "-f", "application/json", "-s", "65536"},
       .path = "/v1/events"},
      {.key = "slow_readers",
       .words = "p99 under slow readers, times that without",
       .beside_key = "slow_readers_beside",
       .beside_words = "p99 beside slow readers, times that without",
       .flags = {"-X", "-k", "3"},
       .path = "/metrics"},
      {.key = "ranges",
       .words = "p99 under ranges, times that without",
       .beside_key = "ranges_beside",
       .beside_words = "p99 beside ranges, times that without",
       .flags = {"-R"},
       .path = "/metrics",
       .holds_connections = false},
  }};
  return kModes;
}

SlowAttack::SlowAttack(const Served& server, const SlowMode& mode) : pid_(fork()) {
  CHECK(pid_ >= 0);
  if (pid_ == 0) {
    run(command(server, mode));
  }
  if (mode.holds_connections) {
    CHECK(server.wait_until([&server] { return server.descriptors() >= kConnections / 2; },
                            kFeltWithin));
  }
}

SlowAttack::~SlowAttack() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void SlowAttack::check_is_under_way() const { CHECK_EQ(waitpid(pid_, nullptr, WNOHANG), 0); }

}  // namespace bench
