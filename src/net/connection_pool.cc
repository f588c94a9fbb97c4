#include "net/connection_pool.h"

#include <array>
#include <utility>

#include "base/check.h"
#include "base/hash.h"

namespace net {

size_t PoolKeyHash::operator()(const PoolKey& key) const {
  uint64_t address = 0;
  if (key.target.address.is_v4()) {
    address = key.target.address.v4_bits();
  } else {
    for (const uint8_t byte : key.target.address.v6_bytes()) {
      address = address * 257 + byte;
    }
  }
  return base::mix(key.owner ^ key.identity, key.host ^ (address << 16U) ^ key.target.port);
}

ConnectionPool::~ConnectionPool() { loop_.cancel(timer_); }

std::unique_ptr<Connection> ConnectionPool::take(const PoolKey& key, ConnectionUser* user) {
  const auto found = shelves_.find(key);
  if (found == shelves_.end()) {
    return nullptr;
  }
  Shelf& shelf = found->second;
  while (!shelf.idle.empty() && !is_quiet(*shelf.idle.back())) {
    remove(shelf.idle.back());
  }
  if (shelf.idle.empty()) {
    return nullptr;
  }
  const auto idle = shelf.idle.back();
  shelf.idle.pop_back();
  std::unique_ptr<Connection> connection = std::move(idle->connection);
  idle_.erase(idle);
  connection->set_user(user);
  return connection;
}

void ConnectionPool::give(const PoolKey& key, std::unique_ptr<Connection> connection) {
  if (options_.idle_per_key_max == 0 || options_.idle_max == 0) {
    return;
  }
  Shelf& place = shelf(key);
  if (place.idle.size() >= options_.idle_per_key_max) {
    remove(place.idle.front());
  } else if (idle_.size() >= options_.idle_max) {
    close_oldest();
  }
  const auto idle = idle_.emplace(idle_.end(), *this, key, std::move(connection));
  idle->self = idle;
  place.idle.push_back(idle);
  idle->connection->set_user(&*idle);
  idle->connection->await_readable();
  arm_timer();
}

bool ConnectionPool::close_oldest() {
  if (idle_.empty()) {
    return false;
  }
  remove(idle_.begin());
  return true;
}

SSL_SESSION* ConnectionPool::session(const PoolKey& key) const {
  const auto found = shelves_.find(key);
  return found == shelves_.end() ? nullptr : found->second.session.get();
}

void ConnectionPool::keep_session(const PoolKey& key, SslSessionPtr session) {
  shelf(key).session = std::move(session);
}

// Shelves without connections are kept for their sessions, as long as there is room.
ConnectionPool::Shelf& ConnectionPool::shelf(const PoolKey& key) {
  if (shelves_.size() >= options_.keys_max && !shelves_.contains(key)) {
    std::erase_if(shelves_, [](const auto& entry) { return entry.second.idle.empty(); });
  }
  return shelves_[key];
}

void ConnectionPool::remove(IdleList::iterator idle) {
  std::vector<IdleList::iterator>& neighbours = shelves_.at(idle->key).idle;
  std::erase(neighbours, idle);
  idle_.erase(idle);
}

// Nothing has come in, not even its end. TLS may have had something to say to itself, such as a new
// session.
bool ConnectionPool::is_quiet(Idle& idle) {
  if (!idle.connection->may_have_news()) {
    return true;
  }
  std::array<char, 1> byte{};
  if (idle.connection->read(byte).state != IoState::kWantsRead) {
    return false;
  }
  if (TlsStream* tls = idle.connection->tls()) {
    if (SslSessionPtr session = tls->take_session()) {
      keep_session(idle.key, std::move(session));
    }
  }
  return true;
}

void ConnectionPool::idle_is_readable(Idle& idle) {
  if (is_quiet(idle)) {
    idle.connection->await_readable();
  } else {
    remove(idle.self);
  }
}

void ConnectionPool::arm_timer() {
  if (timer_ != base::Scheduler::TimerId::kNone || idle_.empty()) {
    return;
  }
  timer_ = loop_.call_at(idle_.front().since + options_.idle_timeout, [this] {
    timer_ = base::Scheduler::TimerId::kNone;
    close_expired();
  });
}

void ConnectionPool::close_expired() {
  const base::Instant now = loop_.now();
  while (!idle_.empty() && idle_.front().since + options_.idle_timeout <= now) {
    remove(idle_.begin());
  }
  arm_timer();
}

}  // namespace net
