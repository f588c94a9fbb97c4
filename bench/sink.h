// Receivers for benchmarks, in a process of their own: one port that answers every POST with 200
// at once and keeps the connection, one port that accepts and never answers.
//
// Lean on purpose (one thread, epoll, no copies to speak of), so that what is measured is the
// sender. Forked before the sender starts threads or opens descriptors.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace bench {

class Sinks {
 public:
  // Listens on every IPv4 address of the network namespace.
  Sinks();
  // Ends the process.
  ~Sinks();

  Sinks(const Sinks&) = delete;
  Sinks& operator=(const Sinks&) = delete;

  uint16_t answering_port() const { return answering_port_; }
  uint16_t silent_port() const { return silent_port_; }

 private:
  uint16_t answering_port_ = 0;
  uint16_t silent_port_ = 0;
  pid_t process_ = 0;
};

}  // namespace bench
