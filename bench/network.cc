#include "bench/network.h"

#include <fmt/core.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

namespace bench {
namespace {

[[noreturn]] void give_up(const std::string& what) {
  fmt::print(stderr, "{}; this benchmark needs a network namespace, so run it as root\n", what);
  std::_Exit(1);
}

void run(const std::string& command) {
  std::string shell = "/bin/sh";
  std::string option = "-c";
  std::string line = command;
  const std::array<char*, 4> words = {shell.data(), option.data(), line.data(), nullptr};
  pid_t child = 0;
  int status = 0;
  if (posix_spawn(&child, shell.c_str(), nullptr, nullptr, words.data(), environ) != 0 ||
      waitpid(child, &status, 0) != child || status != 0) {
    give_up(command + " failed");
  }
}

}  // namespace

void enter_own_network() {
  if (unshare(CLONE_NEWNET) != 0) {
    give_up("unshare failed");
  }
  run("ip link set lo up");
  // A cable whose other end belongs to nobody: packets go out, and no answer comes, not even that
  // the host is unknown.
  run("ip link add nowhere type veth peer name nobody && ip link set nobody up");
  run("ip link set nowhere arp off up");
  run("ip addr add 10.255.255.254/8 dev nowhere");
  run("echo 1024 65535 > /proc/sys/net/ipv4/ip_local_port_range");
}

}  // namespace bench
