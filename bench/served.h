// `postrider serve` in a process of its own: the binary that was built beside this one, on a new
// data directory. It ends with this object or with our process.
//
// Whatever the server does that it should not (refuse to start, end by itself) ends the program,
// and its log is printed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace bench {

class Served {
 public:
  // Removes what is in `directory`, starts, and waits until it listens. `settings` are words of its
  // command line. Receivers on this machine are allowed.
  explicit Served(std::string directory, const std::vector<std::string>& settings = {});
  // Kills it; the data go with it.
  ~Served();
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  std::string url(std::string_view path) const;
  // The admin key.
  const std::string& key() const { return key_; }

  // From before the process was made until it said that it listens.
  double start_seconds() const { return start_seconds_; }
  double cpu_seconds() const;
  double resident_mib() const;
  size_t descriptors() const;  // that it has open

  // One subscription for each of the first `topics` event types, each with an endpoint of its own
  // at this port.
  void subscribe(size_t topics, uint16_t receiver_port) const;

  // Looks every millisecond until it holds. False if it does not for so long.
  bool wait_until(const std::function<bool()>& condition, base::Duration patience) const;
  // Lets it be for so long.
  void leave_alone_for(base::Duration length) const;

 private:
  [[noreturn]] void run(const std::vector<std::string>& settings, int output) const;
  void wait_until_listening(int output);
  [[noreturn]] void fail(std::string_view why) const;
  bool ends_within(base::Duration patience) const;
  std::string log_file() const { return directory_ + "/server.log"; }

  std::string directory_;
  pid_t pid_ = -1;
  int pid_descriptor_ = -1;
  int output_ = -1;
  uint16_t port_ = 0;
  std::string key_;
  double start_seconds_ = 0;
};

}  // namespace bench
