// Asks DNS servers: c-ares with its sockets and timeouts on the loop. One question, one answer;
// what questions mean is for resolver.h.
//
// Asks only servers, never the hosts file, and reads no environment variable.
#pragma once

#include <ares.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "net/loop.h"

namespace net {

class DnsChannel {
 public:
  struct Options {
    std::vector<std::string> servers;  // none: the system's
    base::Duration try_timeout;
    int tries = 1;
  };
  // An ARES_ status and, if that is ARES_SUCCESS, the message. Does not run when the channel ends.
  using Done = std::function<void(int status, std::span<const uint8_t> message)>;

  static base::Result<std::unique_ptr<DnsChannel>> make(Loop& loop, const Options& options);
  ~DnsChannel();

  DnsChannel(const DnsChannel&) = delete;
  DnsChannel& operator=(const DnsChannel&) = delete;

  // `type`: 1 is A, 28 is AAAA, 2 is NS. `done` may run inside the call.
  void query(const std::string& name, int type, Done done);

 private:
  struct Watched;

  explicit DnsChannel(Loop& loop) : loop_(loop) {}

  base::Result<void> open(const Options& options);
  void socket_changed(int descriptor, bool reads, bool writes);
  void wait(const std::shared_ptr<Watched>& watched);
  void process(ares_socket_t readable, ares_socket_t writable);
  void arm_timer();

  Loop& loop_;
  ares_channel channel_ = nullptr;
  std::map<int, std::shared_ptr<Watched>> sockets_;
  base::Scheduler::TimerId timer_ = base::Scheduler::TimerId::kNone;
};

}  // namespace net
