#include "tests/http/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/check.h"

namespace http {

RawClient::RawClient(uint16_t port, int receive_buffer)
    : descriptor_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  CHECK(descriptor_ >= 0);
  if (receive_buffer > 0) {
    setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
  }
  const int on = 1;
  setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK_EQ(connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
}

RawClient::~RawClient() { close(descriptor_); }

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent =
        ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

void RawClient::end_output() { shutdown(descriptor_, SHUT_WR); }

void RawClient::reset() {
  const linger now{.l_onoff = 1, .l_linger = 0};
  setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  close(descriptor_);
  descriptor_ = -1;
}

void RawClient::receive(size_t size_max) {
  std::array<char, 16384> room{};
  while (!is_ended_ && size_max > 0) {
    const ssize_t got =
        recv(descriptor_, room.data(), std::min(room.size(), size_max), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return;
    }
    is_ended_ = got <= 0;
    const auto size = static_cast<size_t>(std::max<ssize_t>(got, 0));
    received_.append(room.data(), size);
    size_max -= size;
  }
}

std::string RawAnswer::field(std::string_view name) const {
  const std::string start = "\r\n" + std::string(name) + ": ";
  const size_t at = head.find(start);
  if (at == std::string::npos) {
    return "";
  }
  const size_t value = at + start.size();
  return head.substr(value, head.find("\r\n", value) - value);
}

std::vector<RawAnswer> parse_answers(std::string_view bytes, bool is_head) {
  std::vector<RawAnswer> answers;
  for (;;) {
    const size_t end = bytes.find("\r\n\r\n");
    if (end == std::string_view::npos || !bytes.starts_with("HTTP/1.1 ")) {
      return answers;
    }
    RawAnswer answer;
    answer.head = bytes.substr(0, end + 2);
    answer.status = std::stoi(answer.head.substr(9, 3));
    const std::string length = answer.field("Content-Length");
    const size_t size = is_head || length.empty() ? 0 : std::stoul(length);
    if (bytes.size() < end + 4 + size) {
      return answers;
    }
    answer.body = bytes.substr(end + 4, size);
    bytes.remove_prefix(end + 4 + size);
    if (answer.status >= 200) {
      answers.push_back(std::move(answer));
    }
  }
}

}  // namespace http
