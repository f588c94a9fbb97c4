// Makes POSTs: the program's one client for strangers' URLs, over HTTP/1.1 and TLS.
//
// The receiver is not trusted, and neither is the URL. Where a request may go is judged by the
// address guard; how long it may take by one deadline; how much may come back by ResponseLimits.
// Redirects are not followed, content is not decoded, no proxy is taken from the environment.
//
// Connections are kept and used again (connection_pool.h). One that turns out to be closed before
// any byte of a response has come is replaced by a new one, once, within the same attempt and its
// deadline: receivers close idle connections when they like, and that is no failure of theirs. The
// request may then have reached the receiver twice, which "at least once" allows.
//
// Several addresses are tried in order, each with its share of the time that is left.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/flat_table.h"
#include "base/result.h"
#include "base/turn_end.h"
#include "net/address_guard.h"
#include "net/connecting.h"
#include "net/connection_pool.h"
#include "net/exchange.h"
#include "net/loop.h"
#include "net/reply.h"
#include "net/request.h"
#include "net/resolver.h"

namespace net {

struct ClientOptions {
  ResolverOptions resolver;
  GuardOptions guard;
  PoolOptions pool;
  ResponseLimits response;
  size_t connections_max = 16'384;
  SourceAddresses source;
  std::optional<ProxyOptions> proxy;
  std::shared_ptr<const TlsIdentity> tls;  // null: trusts what the system trusts
};

class HttpClient {
 public:
  enum class Handle : uint64_t {};
  using Done = std::function<void(Reply)>;

  static base::Result<std::unique_ptr<HttpClient>> make(Loop& loop, const ClientOptions& options);
  ~HttpClient();

  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // `done` runs once, never inside the call, and not later than the deadline; unless the request is
  // abandoned before: then it does not run.
  Handle post(Request request, Done done);
  void abandon(Handle handle);
  void abandon_all();

  size_t open_connections() const { return connector_.open_count(); }  // from any thread
  size_t idle_connections() const { return pool_.idle_count(); }

 private:
  struct Pending {
    Done done;
    Exchange exchange;
  };

  HttpClient(Loop& loop, const ClientOptions& options, std::unique_ptr<Resolver> resolver);

  void start_waiting();
  void complete(Handle handle, Reply&& reply);

  Loop& loop_;
  AddressGuard guard_;
  std::unique_ptr<Resolver> resolver_;
  Connector connector_;
  ConnectionPool pool_;
  Exchange::Parts parts_;
  base::FlatTable<std::unique_ptr<Pending>, base::Placing::kByLowBits> pending_;  // by handle
  uint64_t last_handle_ = 0;
  std::vector<Handle> waiting_;  // for the end of this turn, to be started
  base::TurnEnd start_waiting_;
  std::shared_ptr<bool> alive_;  // false after the end
};

}  // namespace net
