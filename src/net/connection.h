// One TCP connection, plain or TLS, on the loop. Reads and writes without blocking, and tells its
// user when to go on.
//
// A connection has one user at a time: an exchange while a request is on it, the pool while it is
// idle. Waiting for bytes may stay in force across a change of user, so that a connection which is
// given back and taken again costs no system call.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "net/address.h"
#include "net/io_result.h"
#include "net/loop.h"
#include "net/readiness.h"
#include "net/tls_stream.h"

namespace net {

struct SocketAddress {
  Address address;
  uint16_t port = 0;

  std::string to_string() const;
  auto operator<=>(const SocketAddress&) const = default;
};

class Connection {
 public:
  // `open_count` counts the connections that exist, and outlives them.
  Connection(Loop& loop, const SocketAddress& remote, std::atomic<size_t>& open_count);
  ~Connection();

  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Takes over a descriptor that is connecting or connected to `remote`. False if the system cannot
  // watch one more; the descriptor stays the caller's then.
  bool adopt(int descriptor);

  void set_user(ConnectionUser* user) { watch_->user = user; }
  // Tells the user once; nothing more happens if that is under way already.
  void await_readable();
  void await_writable();
  // False: there was nothing to read when the loop last looked, not even the end.
  bool may_have_news() const { return watch_->may_read; }

  // What became of connecting, as errno says it: 0 is good.
  int connect_error() const;
  // The other end is the very address that was asked for.
  bool has_expected_peer() const;

  // False if there is no memory.
  bool start_tls(const TlsIdentity& identity, const TlsPeer& peer, SSL_SESSION* resumed);
  IoResult handshake();
  TlsStream* tls() { return tls_.get(); }

  IoResult read(std::span<char> room);
  IoResult write(std::string_view bytes);
  // Tells the other side that nothing more will be written; it can still be read from.
  void end_output();
  bool has_pending() const { return tls_ != nullptr && tls_->has_pending(); }

  const SocketAddress& remote() const { return remote_; }

 private:
  IoResult read_plain(std::span<char> room);
  IoResult write_plain(std::string_view bytes);
  IoResult noted(IoResult result);

  Readiness& readiness_;
  std::shared_ptr<Watch> watch_;
  int number_ = -1;  // of the descriptor
  SocketAddress remote_;
  std::unique_ptr<TlsStream> tls_;
  std::atomic<size_t>& open_count_;
};

}  // namespace net
