// A client for tests of the server, on the loop of the server: sends any bytes at all, in any
// pieces, and looks at what comes back. Never blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace http {

class RawClient {
 public:
  // Connects to 127.0.0.1. With a small `receive_buffer` it takes little without being asked.
  explicit RawClient(uint16_t port, int receive_buffer = 0);
  ~RawClient();

  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  // False if the server no longer takes them.
  bool send(std::string_view bytes);
  // No more will be sent.
  void end_output();
  // Closes with a reset, as a process that is killed may.
  void reset();

  // What is there now, up to `size_max`, is added to received().
  void receive(size_t size_max = SIZE_MAX);
  const std::string& received() const { return received_; }
  // The server has ended the connection; after receive().
  bool is_ended() const { return is_ended_; }

 private:
  int descriptor_;
  std::string received_;
  bool is_ended_ = false;
};

struct RawAnswer {
  int status = 0;
  std::string head;  // with the status line
  std::string body;

  // The value of a header; empty if it is not there.
  std::string field(std::string_view name) const;
};

// The answers in `bytes`, taken apart by their Content-Length; `is_head`: they have no bodies.
// Interim answers are left out. An incomplete one is not in it.
std::vector<RawAnswer> parse_answers(std::string_view bytes, bool is_head = false);

}  // namespace http
