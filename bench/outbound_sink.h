// A receiver that costs as little as it can: one thread, one epoll, a fixed answer, or one of a few
// that somebody chooses who sees each request. For measuring clients against.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace bench {

struct SinkPorts {
  uint16_t plain = 0;
  uint16_t tls = 0;  // 0 without a certificate
};

inline constexpr std::string_view kSinkAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

// Sees a whole request, head and body, and says what is answered: bytes that outlive the sink.
using Answering = std::function<std::string_view(std::string_view request)>;

struct SinkOptions {
  std::string certificate;  // with its key, in PEM; without them it takes no TLS
  std::string key;
  std::optional<int> processor = 1;  // none: wherever the system likes
  Answering answering = [](std::string_view) { return kSinkAnswer; };
};

// Runs a sink in a process of its own, which ends with this object or with our process.
class SinkProcess {
 public:
  explicit SinkProcess(const SinkOptions& options);
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
