// A receiver that costs as little as it can: one thread, one epoll, a fixed answer. For measuring
// clients against.
#pragma once

#include <cstdint>
#include <string>

namespace bench {

struct SinkPorts {
  uint16_t plain = 0;
  uint16_t tls = 0;
};

// Runs a sink in a process of its own, which ends with this object or with our process.
class SinkProcess {
 public:
  // Certificate and key in PEM.
  SinkProcess(const std::string& certificate, const std::string& key);
  ~SinkProcess();

  SinkProcess(const SinkProcess&) = delete;
  SinkProcess& operator=(const SinkProcess&) = delete;

  const SinkPorts& ports() const { return ports_; }

 private:
  int pid_ = -1;
  SinkPorts ports_;
};

// Pins the calling process to one of the machine's processors, if it has so many.
void pin_to_processor(int number);
// As many descriptors as the system lets us have.
void raise_descriptor_limit();

}  // namespace bench
