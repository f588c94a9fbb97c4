#include "net/connecting.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace net {
namespace {

class OwnedDescriptor {
 public:
  explicit OwnedDescriptor(int number) : number_(number) {}
  ~OwnedDescriptor() {
    if (number_ >= 0) {
      close(number_);
    }
  }
  OwnedDescriptor(const OwnedDescriptor&) = delete;
  OwnedDescriptor& operator=(const OwnedDescriptor&) = delete;

  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

struct SystemAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  explicit SystemAddress(const SocketAddress& target) {
    if (target.address.is_v4()) {
      auto* v4 = reinterpret_cast<sockaddr_in*>(&storage);
      v4->sin_family = AF_INET;
      v4->sin_port = htons(target.port);
      v4->sin_addr.s_addr = htonl(target.address.v4_bits());
      size = sizeof(sockaddr_in);
    } else {
      auto* v6 = reinterpret_cast<sockaddr_in6*>(&storage);
      v6->sin6_family = AF_INET6;
      v6->sin6_port = htons(target.port);
      std::memcpy(&v6->sin6_addr, target.address.v6_bytes().data(), 16);
      size = sizeof(sockaddr_in6);
    }
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

bool switch_on(int descriptor, int level, int option) {
  const int on = 1;
  return setsockopt(descriptor, level, option, &on, sizeof(on)) == 0;
}

bool bind_to(int descriptor, const Address& source) {
  // The port is chosen at connect(), which can share it between different targets.
  switch_on(descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT);
  const SystemAddress local({.address = source, .port = 0});
  return bind(descriptor, local.get(), local.size) == 0;
}

Connecting as_connecting(const std::variant<ConnectFailed, NotStarted>& failure) {
  return std::visit([](const auto& why) -> Connecting { return why; }, failure);
}

}  // namespace

std::variant<ConnectFailed, NotStarted> judge_connect_error(int error) {
  switch (error) {
    case ECONNREFUSED:
    case ECONNRESET:
      return ConnectFailed{ConnectFailure::kRefused};
    case EMFILE:
    case ENFILE:
      return NotStarted{StartFailure::kNoDescriptors};
    case ENOMEM:
    case ENOBUFS:
      return NotStarted{StartFailure::kNoMemory};
    case EADDRNOTAVAIL:
    case EADDRINUSE:
      return NotStarted{StartFailure::kNoLocalPort};
    default:
      return ConnectFailed{ConnectFailure::kUnreachable};
  }
}

Connecting Connector::connect_to_receiver(const SocketAddress& target) {
  if (const auto refusal = guard_.judge(target.address)) {
    return TargetRefused{*refusal};
  }
  return start(target);
}

Connecting Connector::connect_to_proxy(const SocketAddress& proxy) { return start(proxy); }

Connecting Connector::start(const SocketAddress& target) {
  const int family = target.address.is_v4() ? AF_INET : AF_INET6;
  OwnedDescriptor descriptor(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (descriptor.get() < 0) {
    return as_connecting(judge_connect_error(errno));
  }
  switch_on(descriptor.get(), IPPROTO_TCP, TCP_NODELAY);
  const std::optional<Address>& source = target.address.is_v4() ? source_.v4 : source_.v6;
  if (source.has_value() && !bind_to(descriptor.get(), *source)) {
    return as_connecting(judge_connect_error(errno));
  }
  const SystemAddress address(target);
  if (connect(descriptor.get(), address.get(), address.size) != 0 && errno != EINPROGRESS) {
    return as_connecting(judge_connect_error(errno));
  }
  auto connection = std::make_unique<Connection>(loop_, target, open_count_);
  if (!connection->adopt(descriptor.get())) {
    return NotStarted{StartFailure::kNoMemory};
  }
  descriptor.release();
  return connection;
}

}  // namespace net
