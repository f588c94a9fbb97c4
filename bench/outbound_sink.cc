#include "bench/outbound_sink.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/check.h"
#include "net/tls_identity.h"

namespace bench {
namespace {

struct Peer {
  int descriptor = -1;
  net::SslPtr ssl;
  std::string partial;  // of a request

  ~Peer() {
    ssl.reset();
    close(descriptor);
  }
};

// Bytes of the first complete request in `text`, or 0.
size_t request_size(std::string_view text) {
  constexpr std::string_view kLength = "Content-Length: ";
  const size_t head = text.find("\r\n\r\n");
  if (head == std::string_view::npos) {
    return 0;
  }
  const size_t field = text.find(kLength);
  size_t length = 0;
  for (size_t at = field + kLength.size(); field < head && text[at] != '\r'; ++at) {
    length = length * 10 + static_cast<size_t>(text[at] - '0');
  }
  return text.size() >= head + 4 + length ? head + 4 + length : 0;
}

class Sink {
 public:
  explicit Sink(const SinkOptions& options)
      : poll_(epoll_create1(EPOLL_CLOEXEC)), answering_(options.answering) {
    plain_ = listen_on_any_port();
    if (!options.certificate.empty()) {
      use_certificate(options.certificate, options.key);
      tls_ = listen_on_any_port();
    }
  }

  SinkPorts ports() const {
    return {.plain = port_of(plain_), .tls = tls_ < 0 ? uint16_t{0} : port_of(tls_)};
  }

  [[noreturn]] void run() {
    std::array<epoll_event, 512> events{};
    for (;;) {
      const int count = epoll_wait(poll_, events.data(), static_cast<int>(events.size()), -1);
      for (int index = 0; index < count; ++index) {
        const int descriptor = events[static_cast<size_t>(index)].data.fd;
        if (descriptor == plain_ || descriptor == tls_) {
          accept_all(descriptor);
        } else {
          serve(descriptor);
        }
      }
    }
  }

 private:
  void use_certificate(const std::string& certificate, const std::string& key) {
    context_.reset(SSL_CTX_new(TLS_server_method()));
    const std::unique_ptr<BIO, net::OpensslDeleter<BIO_free>> certificate_text(
        BIO_new_mem_buf(certificate.data(), static_cast<int>(certificate.size())));
    const std::unique_ptr<BIO, net::OpensslDeleter<BIO_free>> key_text(
        BIO_new_mem_buf(key.data(), static_cast<int>(key.size())));
    SSL_CTX_use_certificate(context_.get(),
                            PEM_read_bio_X509(certificate_text.get(), nullptr, nullptr, nullptr));
    SSL_CTX_use_PrivateKey(context_.get(),
                           PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, nullptr));
    SSL_CTX_set_mode(context_.get(), SSL_MODE_RELEASE_BUFFERS);
  }

  int listen_on_any_port() {
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK_EQ(bind(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    CHECK_EQ(listen(descriptor, 4096), 0);
    watch(descriptor);
    return descriptor;
  }

  static uint16_t port_of(int descriptor) {
    sockaddr_in address{};
    socklen_t size = sizeof(address);
    CHECK_EQ(getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size), 0);
    return ntohs(address.sin_port);
  }

  void watch(int descriptor) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = descriptor;
    CHECK_EQ(epoll_ctl(poll_, EPOLL_CTL_ADD, descriptor, &event), 0);
  }

  void accept_all(int listener) {
    for (;;) {
      const int descriptor = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (descriptor < 0) {
        return;
      }
      const int on = 1;
      setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
      Peer& peer = peers_[descriptor];
      peer.descriptor = descriptor;
      if (listener == tls_) {
        peer.ssl.reset(SSL_new(context_.get()));
        SSL_set_fd(peer.ssl.get(), descriptor);
        SSL_set_accept_state(peer.ssl.get());
      }
      watch(descriptor);
    }
  }

  void serve(int descriptor) {
    Peer& peer = peers_[descriptor];
    for (;;) {
      const ssize_t got = read_some(peer);
      if (got == 0) {
        peers_.erase(descriptor);
        return;
      }
      if (got < 0) {
        return;
      }
      answer_requests(peer, {buffer_.data(), static_cast<size_t>(got)});
      if (static_cast<size_t>(got) < buffer_.size() &&
          (peer.ssl == nullptr || SSL_has_pending(peer.ssl.get()) == 0)) {
        return;
      }
    }
  }

  // 0 at the end, less if there is nothing yet.
  ssize_t read_some(Peer& peer) {
    if (peer.ssl == nullptr) {
      const ssize_t got = recv(peer.descriptor, buffer_.data(), buffer_.size(), 0);
      return got < 0 && errno != EAGAIN ? 0 : got;
    }
    const int got = SSL_read(peer.ssl.get(), buffer_.data(), static_cast<int>(buffer_.size()));
    if (got > 0) {
      return got;
    }
    return SSL_get_error(peer.ssl.get(), got) == SSL_ERROR_WANT_READ ? -1 : 0;
  }

  void answer_requests(Peer& peer, std::string_view bytes) {
    if (!peer.partial.empty()) {
      peer.partial.append(bytes);
      bytes = peer.partial;
    }
    while (const size_t size = request_size(bytes)) {
      const std::string_view answer = answering_(bytes.substr(0, size));
      bytes.remove_prefix(size);
      if (peer.ssl == nullptr) {
        send(peer.descriptor, answer.data(), answer.size(), MSG_NOSIGNAL);
      } else {
        SSL_write(peer.ssl.get(), answer.data(), static_cast<int>(answer.size()));
      }
    }
    peer.partial = std::string(bytes);
  }

  int poll_;
  Answering answering_;
  net::SslContextPtr context_;
  int plain_ = -1;
  int tls_ = -1;
  std::unordered_map<int, Peer> peers_;
  std::array<char, size_t{64} * 1024> buffer_{};
};

}  // namespace

SinkProcess::SinkProcess(const SinkOptions& options) {
  std::array<int, 2> pipe_ends{};
  CHECK_EQ(pipe(pipe_ends.data()), 0);
  pid_ = fork();
  CHECK(pid_ >= 0);
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::signal(SIGPIPE, SIG_IGN);
    if (options.processor) {
      pin_to_processor(*options.processor);
    }
    Sink sink(options);
    const SinkPorts ports = sink.ports();
    CHECK_EQ(write(pipe_ends[1], &ports, sizeof(ports)), ssize_t{sizeof(ports)});
    sink.run();
  }
  SinkPorts ports;
  CHECK_EQ(read(pipe_ends[0], &ports, sizeof(ports)), ssize_t{sizeof(ports)});
  ports_ = ports;
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

SinkProcess::~SinkProcess() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void pin_to_processor(int number) {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  CPU_SET(static_cast<unsigned>(number), &processors);
  sched_setaffinity(0, sizeof(processors), &processors);  // Without it figures only spread more.
}

void raise_descriptor_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace bench
