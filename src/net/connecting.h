// The only place of the program that connects to anybody. A receiver's address is judged by the
// guard here, on the very number that goes into connect(): whatever a URL, a resolver or a cache
// said before, this is the last word.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include "net/address.h"
#include "net/address_guard.h"
#include "net/connection.h"
#include "net/loop.h"

namespace net {

enum class ConnectFailure : uint8_t { kRefused, kUnreachable, kRefusedByProxy };

// Reasons of our own: the attempt did not take place.
enum class StartFailure : uint8_t {
  kNoDescriptors,
  kNoMemory,
  kConnectionLimit,
  kNoLocalPort,
  kProxyUnreachable,
  kResolversUnreachable,
  kBadRequest,  // a header would break out of its line
};

// From which addresses connections come; the system's choice where there is none.
struct SourceAddresses {
  std::optional<Address> v4;
  std::optional<Address> v6;
};

struct ConnectFailed {
  ConnectFailure failure;
};
struct TargetRefused {
  Refusal refusal;
};
struct NotStarted {
  StartFailure failure;
};

// A connection that is being made, or why it cannot be. It is made when it is writable and
// connect_error() is 0.
using Connecting =
    std::variant<std::unique_ptr<Connection>, ConnectFailed, TargetRefused, NotStarted>;

class Connector {
 public:
  Connector(Loop& loop, const AddressGuard& guard, const SourceAddresses& source)
      : loop_(loop), guard_(guard), source_(source) {}

  Connecting connect_to_receiver(const SocketAddress& target);
  // The proxy is the operator's choice; the guard has no say.
  Connecting connect_to_proxy(const SocketAddress& proxy);

  // Connections that exist, in use or idle.
  // From any thread.
  size_t open_count() const { return open_count_; }

 private:
  Connecting start(const SocketAddress& target);

  Loop& loop_;
  const AddressGuard& guard_;
  SourceAddresses source_;
  std::atomic<size_t> open_count_ = 0;
};

// What an errno of connecting means.
std::variant<ConnectFailed, NotStarted> judge_connect_error(int error);

}  // namespace net
