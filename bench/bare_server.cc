#include "bench/bare_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <string_view>

#include "base/check.h"

namespace bench {
namespace {

void watch(int poll, int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = descriptor;
  CHECK_EQ(epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event), 0);
}

void accept_one(int poll, int listener) {
  const int descriptor = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (descriptor < 0) {
    return;
  }
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  watch(poll, descriptor);
}

}  // namespace

int listen_on_loopback() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  CHECK_EQ(listen(listener, 4096), 0);
  return listener;
}

uint16_t port_of(int listener) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  CHECK_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  return ntohs(address.sin_port);
}

void serve_bare(int listener, std::string_view answer) {
  const int poll = epoll_create1(EPOLL_CLOEXEC);
  watch(poll, listener);
  std::array<epoll_event, 512> events{};
  std::array<char, size_t{16} * 1024> room{};
  for (;;) {
    const int count = epoll_wait(poll, events.data(), static_cast<int>(events.size()), -1);
    for (int index = 0; index < count; ++index) {
      const int descriptor = events[static_cast<size_t>(index)].data.fd;
      if (descriptor == listener) {
        accept_one(poll, listener);
        continue;
      }
      if (recv(descriptor, room.data(), room.size(), 0) <= 0) {
        close(descriptor);
        continue;
      }
      send(descriptor, answer.data(), answer.size(), MSG_NOSIGNAL);
    }
  }
}

}  // namespace bench
