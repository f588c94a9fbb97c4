// One POST from beginning to end: name, connection, TLS, request, response.
//
//   resolving -> connecting -> (tunnelling) -> (securing) -> talking -> finished
//                  ^   next address |                           |
//                  +----------------+<--- a kept connection turned out to be closed
//
// Every step ends by waiting for exactly one thing, or by finish(). The deadline ends any of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "net/address_guard.h"
#include "net/connecting.h"
#include "net/connection.h"
#include "net/connection_pool.h"
#include "net/deadline.h"
#include "net/loop.h"
#include "net/reply.h"
#include "net/request.h"
#include "net/resolver.h"
#include "net/response_reader.h"

namespace net {

// An egress proxy that tunnels by CONNECT. It is asked for the vetted address, never for the name.
struct ProxyOptions {
  Url url;                    // scheme http; host and port count
  std::string authorization;  // "Basic ..." or nothing
};

class Exchange : private ConnectionUser {
 public:
  // What all exchanges of a client share.
  struct Parts {
    Loop& loop;
    Resolver& resolver;
    const AddressGuard& guard;
    Connector& connector;
    ConnectionPool& pool;
    std::shared_ptr<const TlsIdentity> tls;
    std::optional<ProxyOptions> proxy;
    ResponseLimits response;
    size_t connections_max;
    std::array<char, size_t{32} * 1024> buffer;  // what is read goes through here
    std::string scratch;                         // and what is written through here
  };
  // Runs once; may destroy the exchange.
  using Done = std::function<void(Reply&&)>;

  Exchange(Parts& parts, Request request, Done done);
  ~Exchange() override;

  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  void start();

 private:
  enum class Step : uint8_t {
    kResolving,
    kConnecting,
    kTunnelling,
    kSecuring,
    kTalking,
    kFinished
  };

  void on_readable() override;
  void on_writable() override;
  void on_deadline();

  void resolved(const DnsAnswer& answer);
  void use_addresses(std::span<const Address> addresses);
  void resolve_proxy();
  void connect();
  Connecting open_connection();
  void give_up_address(const Ending& failure);
  void connected();

  void tunnel();
  void read_tunnel_answer();
  void secure_or_talk();
  void secure();

  void talk();
  void write_some();
  void go_on_reading();
  void read_response();
  bool take_bytes(std::string_view bytes);
  void connection_broke();
  void finish_response();
  void finish(Ending ending);

  bool is_sent() const { return unsent_head_.empty() && unsent_body_.empty(); }
  void enter(Phase phase);
  PoolKey key_for(const Address& address) const;
  const TlsIdentity& identity() const { return *(request_.tls ? request_.tls : parts_.tls); }

  Parts& parts_;
  Request request_;
  Done done_;
  Reply reply_;

  Step step_ = Step::kResolving;
  Phase phase_ = Phase::kDns;
  base::Instant now_;  // sampled once per event
  base::Instant phase_since_;
  base::Instant started_;
  Deadline deadline_;
  base::Scheduler::TimerId deadline_timer_ = base::Scheduler::TimerId::kNone;
  base::Scheduler::TimerId address_timer_ = base::Scheduler::TimerId::kNone;
  Resolver::LookupId lookup_ = Resolver::LookupId::kNone;

  std::vector<Address> candidates_;  // all of them allowed by the guard
  size_t candidate_ = 0;
  std::optional<Address> proxy_;
  std::optional<Ending> last_failure_;  // of a candidate

  std::unique_ptr<Connection> connection_;
  bool is_retried_ = false;
  std::string out_;               // what unsent_head_ refers to while it waits
  std::string_view unsent_head_;  // with the body, if that is small
  std::string_view unsent_body_;
  bool is_write_broken_ = false;
  std::optional<ResponseReader> reader_;
};

}  // namespace net
