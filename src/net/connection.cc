#include "net/connection.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

namespace net {

std::string SocketAddress::to_string() const {
  const std::string text = address.to_string();
  return (address.is_v4() ? text : "[" + text + "]") + ":" + std::to_string(port);
}

Connection::Connection(Loop& loop, const SocketAddress& remote, std::atomic<size_t>& open_count)
    : watch_(std::make_shared<Watch>()),
      descriptor_(loop.context().get_executor()),
      remote_(remote),
      open_count_(open_count) {
  open_count_ += 1;
}

Connection::~Connection() {
  watch_->user = nullptr;
  tls_.reset();  // Before the descriptor it uses.
  open_count_ -= 1;
}

bool Connection::adopt(int descriptor) {
  boost::system::error_code error;
  if (descriptor_.assign(descriptor, error).failed()) {
    return false;
  }
  number_ = descriptor;
  return true;
}

void Connection::await_readable() {
  if (watch_->awaits_read) {
    return;
  }
  watch_->awaits_read = true;
  descriptor_.async_wait(Descriptor::wait_read,
                         [watch = watch_](const boost::system::error_code& /*error*/) {
                           watch->awaits_read = false;
                           if (watch->user != nullptr) {
                             watch->user->on_readable();
                           }
                         });
}

void Connection::await_writable() {
  if (watch_->awaits_write) {
    return;
  }
  watch_->awaits_write = true;
  descriptor_.async_wait(Descriptor::wait_write,
                         [watch = watch_](const boost::system::error_code& /*error*/) {
                           watch->awaits_write = false;
                           if (watch->user != nullptr) {
                             watch->user->on_writable();
                           }
                         });
}

int Connection::connect_error() const {
  int error = 0;
  socklen_t size = sizeof(error);
  return getsockopt(number_, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

bool Connection::has_expected_peer() const {
  sockaddr_storage storage{};
  socklen_t size = sizeof(storage);
  auto* peer = reinterpret_cast<sockaddr*>(&storage);
  return getpeername(number_, peer, &size) == 0 && Address::from_sockaddr(peer) == remote_.address;
}

bool Connection::start_tls(const TlsIdentity& identity, const TlsPeer& peer, SSL_SESSION* resumed) {
  tls_ = TlsStream::make(identity, number_, peer, resumed);
  return tls_ != nullptr;
}

IoResult Connection::read(std::span<char> room) {
  if (tls_ != nullptr) {
    return tls_->read(room);
  }
  const ssize_t got = recv(number_, room.data(), room.size(), 0);
  if (got > 0) {
    return {.state = IoState::kDone, .bytes = static_cast<size_t>(got)};
  }
  if (got == 0) {
    return {.state = IoState::kEnd};
  }
  const bool is_early = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  return {.state = is_early ? IoState::kWantsRead : IoState::kBroken};
}

IoResult Connection::write(std::string_view bytes) {
  if (tls_ != nullptr) {
    return tls_->write(bytes);
  }
  const ssize_t sent = send(number_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent >= 0) {
    return {.state = IoState::kDone, .bytes = static_cast<size_t>(sent)};
  }
  const bool is_early = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  return {.state = is_early ? IoState::kWantsWrite : IoState::kBroken};
}

void Connection::end_output() { shutdown(number_, SHUT_WR); }

}  // namespace net
