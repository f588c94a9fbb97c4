#include "http/sessions.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"

namespace http {
namespace {

constexpr size_t kReadRoom = size_t{64} * 1024;

// Whose connections are counted together: nobody has one IPv6 address alone.
net::Address peer_group(const net::Address& address) {
  if (address.is_v4()) {
    return address;
  }
  std::array<uint8_t, 16> bytes = address.v6_bytes();
  std::ranges::fill(std::span(bytes).subspan(8), uint8_t{0});
  return net::Address::v6(bytes);
}

}  // namespace

Sessions::Sessions(net::Loop& loop, const ServerOptions& options, const Site& site)
    : loop_(loop),
      options_(options),
      site_(site),
      ids_(options.request_id_seed),
      desk_(std::make_shared<AnswerDesk>(loop, this)),
      recent_time_(loop.now()),
      read_room_(kReadRoom) {}

Sessions::~Sessions() {
  desk_->sessions = nullptr;
  desk_->is_open = false;
}

void Sessions::admit(int descriptor, const net::SocketAddress& peer) {
  counts_.accepted += 1;
  const Refusal* refusal = reason_to_refuse(peer);
  const bool has_room =
      sessions_.size() < options_.connections_max + options_.refused_connections_max;
  last_id_ += 1;
  auto session = std::make_unique<Session>(*this, last_id_, peer, open_count_);
  if (!has_room || !session->adopt(descriptor)) {
    counts_.refused_connections += 1;
    ::close(descriptor);
    return;
  }
  per_peer_[peer_group(peer.address)] += 1;
  Session& admitted = *session;
  sessions_.emplace(last_id_, std::move(session));
  if (refusal == nullptr) {
    return admitted.begin();
  }
  counts_.refused_connections += 1;
  admitted.turn_away(*refusal);
}

// Makes room if it can.
const Refusal* Sessions::reason_to_refuse(const net::SocketAddress& peer) {
  const auto count = per_peer_.find(peer_group(peer.address));
  if (count != per_peer_.end() && count->second >= options_.connections_per_peer_max) {
    return &kPeerFull;
  }
  if (sessions_.size() >= options_.connections_max && !evict_idle()) {
    return &kHouseFull;
  }
  return nullptr;
}

bool Sessions::evict_idle() {
  if (idle_.empty()) {
    return false;
  }
  counts_.evicted += 1;
  idle_.front().close();
  return true;
}

void Sessions::end_overdue() {
  recent_time_ = loop_.now();
  std::vector<uint64_t> overdue;
  for (const auto& [id, session] : sessions_) {
    if (session->patience().is_over(recent_time_, options_.patience)) {
      overdue.push_back(id);
    }
  }
  for (const uint64_t id : overdue) {
    if (Session* session = find(id)) {
      session->run_out_of_time();
    }
  }
}

void Sessions::drain(std::function<void()> done) {
  is_draining_ = true;
  on_drained_ = std::move(done);
  for (const uint64_t id : ids_of_all()) {
    if (Session* session = find(id)) {
      session->drain();
    }
  }
  if (sessions_.empty() && on_drained_ != nullptr) {
    loop_.post(std::exchange(on_drained_, nullptr));
  }
}

void Sessions::close_all() {
  for (const uint64_t id : ids_of_all()) {
    if (Session* session = find(id)) {
      session->close();
    }
  }
}

std::vector<uint64_t> Sessions::ids_of_all() const {
  std::vector<uint64_t> ids;
  ids.reserve(sessions_.size());
  for (const auto& [id, session] : sessions_) {
    ids.push_back(id);
  }
  return ids;
}

Session* Sessions::find(uint64_t id) {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : found->second.get();
}

// The one that became idle last goes to the end.
void Sessions::note_idle(Session& session, bool is_idle) {
  session.unlink();
  if (is_idle) {
    idle_.push_back(session);
  }
}

void Sessions::forget(Session& session) {
  const auto count = per_peer_.find(peer_group(session.peer().address));
  CHECK(count != per_peer_.end());
  count->second -= 1;
  if (count->second == 0) {
    per_peer_.erase(count);
  }
  sessions_.erase(session.id());
  if (is_draining_ && sessions_.empty() && on_drained_ != nullptr) {
    loop_.post(std::exchange(on_drained_, nullptr));
  }
}

}  // namespace http
