// Connections that wait for their next request, and TLS sessions that make the next one cheap.
//
// A connection is used again only under the very key it was made under: the same endpoint, address,
// port, host and TLS identity. So whatever was checked when it was made is true of each request on
// it, and nobody's connection carries somebody else's request.
//
// An idle connection that shows any sign of life is closed: it has ended, or its receiver talks out
// of turn. How many there are is capped per key and in all; the longest idle one makes room.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time.h"
#include "net/connection.h"
#include "net/loop.h"
#include "net/tls_identity.h"

namespace net {

struct PoolKey {
  uint64_t owner = 0;     // whom connections belong to: a tenant's endpoint with its credentials
  uint64_t host = 0;      // a hash of its name
  uint64_t identity = 0;  // 0 without TLS
  SocketAddress target{.address = Address::v4(0)};

  bool operator==(const PoolKey&) const = default;
};

struct PoolKeyHash {
  size_t operator()(const PoolKey& key) const;
};

struct PoolOptions {
  size_t idle_per_key_max = 10;
  size_t idle_max = 4096;
  base::Duration idle_timeout = base::Duration::seconds(55);  // many receivers end theirs at 60
  size_t keys_max = 65'536;
};

class ConnectionPool {
 public:
  ConnectionPool(Loop& loop, const PoolOptions& options) : loop_(loop), options_(options) {}
  ~ConnectionPool();

  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;

  // The one that was given back last, or null. The caller is its user from then on. What has come
  // in on an idle connection would be taken for the answer to the next request: so have the loop's
  // readiness look() first, once for all that are taken together.
  std::unique_ptr<Connection> take(const PoolKey& key, ConnectionUser* user);
  void give(const PoolKey& key, std::unique_ptr<Connection> connection);
  // Makes room by closing the connection that has been idle longest. False if none is.
  bool close_oldest();

  // Null if there is none; valid until the next call.
  SSL_SESSION* session(const PoolKey& key) const;
  void keep_session(const PoolKey& key, SslSessionPtr session);

  size_t idle_count() const { return idle_.size(); }

 private:
  struct Idle;
  using IdleList = std::list<Idle>;
  struct Idle : ConnectionUser {
    Idle(ConnectionPool& of, const PoolKey& under, std::unique_ptr<Connection> given)
        : pool(of), key(under), connection(std::move(given)), since(of.loop_.now()) {}

    void on_readable() override { pool.idle_is_readable(*this); }
    void on_writable() override {}

    ConnectionPool& pool;
    PoolKey key;
    std::unique_ptr<Connection> connection;
    base::Instant since;
    IdleList::iterator self;
  };
  struct Shelf {
    std::vector<IdleList::iterator> idle;  // the one that was given back last is at the end
    SslSessionPtr session;
  };

  Shelf& shelf(const PoolKey& key);
  void remove(IdleList::iterator idle);
  bool is_quiet(Idle& idle);
  void idle_is_readable(Idle& idle);
  void arm_timer();
  void close_expired();

  Loop& loop_;
  PoolOptions options_;
  IdleList idle_;  // in the order in which they were given back
  std::unordered_map<PoolKey, Shelf, PoolKeyHash> shelves_;
  base::Scheduler::TimerId timer_ = base::Scheduler::TimerId::kNone;
};

}  // namespace net
