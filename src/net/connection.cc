#include "net/connection.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace net {
namespace {

// "Would block" must mean just that: only then will the kernel tell when it no longer would.
template <class Call>
ssize_t uninterrupted(Call call) {
  ssize_t result = call();
  while (result < 0 && errno == EINTR) {
    result = call();
  }
  return result;
}

}  // namespace

std::string SocketAddress::to_string() const {
  const std::string text = address.to_string();
  return (address.is_v4() ? text : "[" + text + "]") + ":" + std::to_string(port);
}

Connection::Connection(Loop& loop, const SocketAddress& remote, std::atomic<size_t>& open_count)
    : readiness_(loop.readiness()),
      watch_(std::make_shared<Watch>()),
      remote_(remote),
      open_count_(open_count) {
  open_count_ += 1;
}

Connection::~Connection() {
  readiness_.forget(*watch_);
  tls_.reset();  // Before the descriptor it uses.
  if (number_ >= 0) {
    close(number_);
  }
  open_count_ -= 1;
}

bool Connection::adopt(int descriptor) {
  if (!readiness_.add(descriptor, *watch_)) {
    return false;
  }
  number_ = descriptor;
  return true;
}

void Connection::await_readable() { readiness_.await_read(*watch_); }

void Connection::await_writable() { readiness_.await_write(*watch_); }

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

IoResult Connection::handshake() { return noted(tls_->handshake()); }

IoResult Connection::read(std::span<char> room) {
  return noted(tls_ != nullptr ? tls_->read(room) : read_plain(room));
}

IoResult Connection::write(std::string_view bytes) {
  return noted(tls_ != nullptr ? tls_->write(bytes) : write_plain(bytes));
}

// Whoever was told to wait will hear of it when that changes.
IoResult Connection::noted(IoResult result) {
  if (result.state == IoState::kWantsRead) {
    watch_->may_read = false;
  } else if (result.state == IoState::kWantsWrite) {
    watch_->may_write = false;
  }
  return result;
}

IoResult Connection::read_plain(std::span<char> room) {
  const ssize_t got = uninterrupted([&] { return recv(number_, room.data(), room.size(), 0); });
  if (got > 0) {
    const auto bytes = static_cast<size_t>(got);
    // Less than there was room for: that was all, and more will be told. Its end will not, if that
    // has been told already.
    watch_->may_read = bytes == room.size() || watch_->has_ended;
    return {.state = IoState::kDone, .bytes = bytes};
  }
  if (got == 0) {
    return {.state = IoState::kEnd};
  }
  const bool is_early = errno == EAGAIN || errno == EWOULDBLOCK;
  return {.state = is_early ? IoState::kWantsRead : IoState::kBroken};
}

IoResult Connection::write_plain(std::string_view bytes) {
  const ssize_t sent =
      uninterrupted([&] { return send(number_, bytes.data(), bytes.size(), MSG_NOSIGNAL); });
  if (sent >= 0) {
    return {.state = IoState::kDone, .bytes = static_cast<size_t>(sent)};
  }
  const bool is_early = errno == EAGAIN || errno == EWOULDBLOCK;
  return {.state = is_early ? IoState::kWantsWrite : IoState::kBroken};
}

void Connection::end_output() { shutdown(number_, SHUT_WR); }

}  // namespace net
