#include "http/listener.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace http {
namespace {

constexpr int kBacklog = 1024;
constexpr base::Duration kExhaustedPause = base::Duration::ms(100);

struct SystemAddress {
  sockaddr_storage storage{};
  socklen_t size = sizeof(sockaddr_storage);

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

SystemAddress to_system(const net::SocketAddress& address) {
  SystemAddress result;
  if (address.address.is_v4()) {
    auto* v4 = reinterpret_cast<sockaddr_in*>(&result.storage);
    v4->sin_family = AF_INET;
    v4->sin_port = htons(address.port);
    v4->sin_addr.s_addr = htonl(address.address.v4_bits());
    result.size = sizeof(sockaddr_in);
  } else {
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&result.storage);
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(address.port);
    std::ranges::copy(address.address.v6_bytes(), std::begin(v6->sin6_addr.s6_addr));
    result.size = sizeof(sockaddr_in6);
  }
  return result;
}

uint16_t port_of(const SystemAddress& address) {
  return address.storage.ss_family == AF_INET
             ? ntohs(reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_port)
             : ntohs(reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_port);
}

void turn_on(int descriptor, int level, int option) {
  const int on = 1;
  setsockopt(descriptor, level, option, &on, sizeof(on));
}

std::unexpected<base::Error> failure(const net::SocketAddress& address, std::string_view what) {
  return base::fail(base::ErrorCode::kIo, "cannot " + std::string(what) + " " +
                                              address.to_string() + ": " +
                                              std::generic_category().message(errno));
}

}  // namespace

Listener::Listener(net::Loop& loop)
    : loop_(loop),
      descriptor_(loop.context().get_executor()),
      self_(std::make_shared<Listener*>(this)) {}

Listener::~Listener() { *self_ = nullptr; }

base::Result<std::unique_ptr<Listener>> Listener::open(net::Loop& loop,
                                                       const net::SocketAddress& address) {
  std::unique_ptr<Listener> listener(new Listener(loop));
  base::Result<void> bound = listener->bind_to(address);
  if (!bound.has_value()) {
    return std::unexpected(std::move(bound.error()));
  }
  return listener;
}

base::Result<void> Listener::bind_to(const net::SocketAddress& address) {
  const int family = address.address.is_v4() ? AF_INET : AF_INET6;
  const int number = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (number < 0) {
    return failure(address, "open a socket for");
  }
  boost::system::error_code error;
  if (descriptor_.assign(number, error).failed()) {
    ::close(number);
    errno = error.value();
    return failure(address, "watch");
  }
  turn_on(number, SOL_SOCKET, SO_REUSEADDR);
  turn_on(number, SOL_SOCKET, SO_REUSEPORT);
  if (family == AF_INET6) {
    turn_on(number, IPPROTO_IPV6, IPV6_V6ONLY);  // An IPv4 peer is never counted as an IPv6 one.
  }
  SystemAddress system = to_system(address);
  if (bind(number, system.get(), system.size) != 0 || listen(number, kBacklog) != 0) {
    return failure(address, "listen on");
  }
  if (getsockname(number, system.get(), &system.size) != 0) {
    return failure(address, "read the port of");
  }
  port_ = port_of(system);
  return {};
}

void Listener::start(OnConnection on_connection, OnExhausted on_exhausted) {
  on_connection_ = std::move(on_connection);
  on_exhausted_ = std::move(on_exhausted);
  await();
}

void Listener::await() {
  descriptor_.async_wait(Descriptor::wait_read,
                         [self = self_](const boost::system::error_code& /*error*/) {
                           if (*self != nullptr) {
                             (*self)->accept_next();
                           }
                         });
}

// Then the connections that are there have their turn, so that a flood of new ones holds up none.
void Listener::accept_next() {
  if (accept_one() == Accepted::kExhausted) {
    on_exhausted_();
    loop_.call_at(loop_.now() + kExhaustedPause, [self = self_] {
      if (*self != nullptr) {
        (*self)->await();
      }
    });
    return;
  }
  await();
}

Listener::Accepted Listener::accept_one() {
  SystemAddress peer;
  const int number =
      accept4(descriptor_.native_handle(), peer.get(), &peer.size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (number < 0) {
    const bool is_exhausted =
        errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    return is_exhausted ? Accepted::kExhausted : Accepted::kNone;
  }
  turn_on(number, IPPROTO_TCP, TCP_NODELAY);
  const std::optional<net::Address> address = net::Address::from_sockaddr(peer.get());
  on_connection_(number, {.address = address.value_or(net::Address::v4(0)), .port = port_of(peer)});
  return Accepted::kOne;
}

}  // namespace http
