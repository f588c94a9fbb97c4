// All connections of one server: who may come in, who goes first when it is full, whose time is
// over.
//
// When all places are taken, the connection that has been idle longest makes room. If none is idle,
// the new one is told 503 with Retry-After and closed: waiting unheard in the kernel's queue would
// tell a client and a load balancer nothing. One address that has too many is told 429.
#pragma once

#include <atomic>
#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "http/answer.h"
#include "http/date_text.h"
#include "http/options.h"
#include "http/request_ids.h"
#include "http/session.h"
#include "net/connection.h"
#include "net/loop.h"

namespace http {

class Sessions {
 public:
  Sessions(net::Loop& loop, const ServerOptions& options, const Site& site);
  // Cuts every connection.
  ~Sessions();

  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  // Takes the descriptor over, whatever comes of it.
  void admit(int descriptor, const net::SocketAddress& peer);
  // Closes the connection that has been idle longest; false if none is.
  bool evict_idle();
  void end_overdue();

  // Idle connections and streams end now, others with the answer under way. `done` runs when none
  // is left.
  void drain(std::function<void()> done);
  void close_all();

  size_t size() const { return sessions_.size(); }
  Session* find(uint64_t id);

  // For sessions.
  net::Loop& loop() { return loop_; }
  const ServerOptions& options() const { return options_; }
  const Site& site() const { return site_; }
  ServerCounts& counts() { return counts_; }
  const ServerCounts& counts() const { return counts_; }
  RequestIds& ids() { return ids_; }
  const std::shared_ptr<AnswerDesk>& desk() const { return desk_; }
  std::span<char> read_room() { return read_room_; }
  std::string_view date() { return date_.at(loop_.wall_clock()); }
  // As of the last look at the clock: not older than patience_check_interval.
  base::Instant recent_time() const { return recent_time_; }
  bool is_draining() const { return is_draining_; }
  // A session holds so much in memory, and no longer so much.
  void note_held(size_t now, size_t before) { held_bytes_ += now - before; }
  // Whether all others together leave room for this.
  bool has_room_for(size_t now, size_t before) const {
    return held_bytes_ - before + now <= options_.held_bytes_max;
  }
  void note_idle(Session& session, bool is_idle);
  // The session is gone afterwards.
  void forget(Session& session);

 private:
  using IdleOrder = boost::intrusive::list<Session, boost::intrusive::constant_time_size<false>>;

  const Refusal* reason_to_refuse(const net::SocketAddress& peer);
  std::vector<uint64_t> ids_of_all() const;

  net::Loop& loop_;
  const ServerOptions options_;
  const Site site_;
  ServerCounts counts_;
  RequestIds ids_;
  DateText date_;
  std::shared_ptr<AnswerDesk> desk_;
  base::Instant recent_time_;
  bool is_draining_ = false;
  std::function<void()> on_drained_;
  std::vector<char> read_room_;  // one for all: between turns nobody has bytes in it
  uint64_t last_id_ = 0;
  std::atomic<size_t> open_count_ = 0;
  size_t held_bytes_ = 0;
  std::map<net::Address, size_t> per_peer_;
  std::unordered_map<uint64_t, std::unique_ptr<Session>> sessions_;
  IdleOrder idle_;  // longest first
};

}  // namespace http
