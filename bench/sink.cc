#include "bench/sink.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace bench {
namespace {

constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
constexpr std::string_view kLength = "Content-Length: ";
constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr int kBacklog = 4096;
constexpr size_t kEvents = 256;
constexpr size_t kBlock = size_t{64} * 1024;

int listen_anywhere(uint16_t& port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  CHECK_GE(listener, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  socklen_t size = sizeof(address);
  CHECK_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), size), 0);
  CHECK_EQ(listen(listener, kBacklog), 0);
  CHECK_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  port = ntohs(address.sin_port);
  return listener;
}

// Bytes of the first request in `text`, or nothing yet (0).
size_t request_size(std::string_view text) {
  const size_t head = text.find(kHeadEnd);
  if (head == std::string_view::npos) {
    return 0;
  }
  size_t body = 0;
  const size_t length = text.substr(0, head).find(kLength);
  if (length != std::string_view::npos) {
    const char* const digits = text.data() + length + kLength.size();
    std::from_chars(digits, text.data() + text.size(), body);
  }
  const size_t size = head + kHeadEnd.size() + body;
  return size <= text.size() ? size : 0;
}

class Server {
 public:
  Server(int answering, int silent)
      : answering_(answering), silent_(silent), poll_(epoll_create1(EPOLL_CLOEXEC)) {
    watch(answering_);
    watch(silent_);
  }

  [[noreturn]] void run() {
    std::array<epoll_event, kEvents> events{};
    for (;;) {
      const int count = epoll_wait(poll_, events.data(), kEvents, -1);
      for (int index = 0; index < count; ++index) {
        const int ready = events.at(static_cast<size_t>(index)).data.fd;
        if (ready == answering_ || ready == silent_) {
          accept_all(ready);
        } else {
          serve(ready);
        }
      }
    }
  }

 private:
  struct Peer {
    bool answers = false;
    std::string pending;
  };

  void watch(int descriptor) const {
    epoll_event event{.events = EPOLLIN, .data = {.fd = descriptor}};
    CHECK_EQ(epoll_ctl(poll_, EPOLL_CTL_ADD, descriptor, &event), 0);
  }

  void accept_all(int listener) {
    for (;;) {
      const int peer = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (peer < 0) {
        return;
      }
      const int on = 1;
      setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
      const auto index = static_cast<size_t>(peer);
      peers_.resize(std::max(peers_.size(), index + 1));
      peers_[index] = {.answers = listener == answering_, .pending = {}};
      watch(peer);
    }
  }

  void serve(int descriptor) {
    const ssize_t count = read(descriptor, block_.data(), block_.size());
    if (count == 0 || (count < 0 && errno != EAGAIN)) {
      close(descriptor);
      return;
    }
    Peer& peer = peers_[static_cast<size_t>(descriptor)];
    if (count < 0 || !peer.answers) {
      return;
    }
    peer.pending.append(block_.data(), static_cast<size_t>(count));
    while (const size_t size = request_size(peer.pending)) {
      peer.pending.erase(0, size);
      if (send(descriptor, kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL) < 0) {
        return;  // the next read tells why
      }
    }
  }

  int answering_;
  int silent_;
  int poll_;
  std::vector<Peer> peers_;  // by descriptor
  std::vector<char> block_ = std::vector<char>(kBlock);
};

}  // namespace

Sinks::Sinks() {
  const int answering = listen_anywhere(answering_port_);
  const int silent = listen_anywhere(silent_port_);
  process_ = fork();
  CHECK_GE(process_, 0);
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    Server(answering, silent).run();
  }
  close(answering);
  close(silent);
}

Sinks::~Sinks() {
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

}  // namespace bench
