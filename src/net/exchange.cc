#include "net/exchange.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"

namespace net {
namespace {

// Up to this size head and body go out in one write, and in one TLS record.
constexpr size_t kSmallBody = size_t{14} * 1024;

// IPv6 and IPv4 in turn, so that a family without a route costs one try only.
std::vector<Address> interleaved(std::span<const Address> addresses) {
  if (addresses.size() == 1) {
    return {addresses.front()};
  }
  std::vector<Address> by_family[2];
  for (const Address& address : addresses) {
    by_family[address.is_v4() ? 1 : 0].push_back(address);
  }
  std::vector<Address> mixed;
  mixed.reserve(addresses.size());
  for (size_t index = 0; mixed.size() < addresses.size(); ++index) {
    for (const std::vector<Address>& family : by_family) {
      if (index < family.size()) {
        mixed.push_back(family[index]);
      }
    }
  }
  return mixed;
}

bool may_help_to_close_one(StartFailure failure) {
  return failure == StartFailure::kNoDescriptors || failure == StartFailure::kNoLocalPort ||
         failure == StartFailure::kNoMemory;
}

}  // namespace

Exchange::Exchange(Parts& parts, Request request, Done done)
    : parts_(parts),
      request_(std::move(request)),
      done_(std::move(done)),
      now_(parts.loop.now()),
      phase_since_(now_),
      started_(now_),
      deadline_(started_, request_.deadline) {}

Exchange::~Exchange() {
  parts_.loop.cancel(deadline_timer_);
  parts_.loop.cancel(address_timer_);
  parts_.resolver.abandon(lookup_);
}

void Exchange::start() {
  deadline_timer_ = parts_.loop.call_at(deadline_.at(), [this] {
    now_ = parts_.loop.now();
    on_deadline();
  });
  if (!request_.headers.is_sound()) {
    return finish(NotStarted{StartFailure::kBadRequest});
  }
  if (const auto refusal = parts_.guard.judge_port(request_.url.port)) {
    return finish(TargetRefused{*refusal});
  }
  if (request_.url.literal.has_value()) {
    return use_addresses({&*request_.url.literal, 1});
  }
  if (const auto refusal = parts_.guard.judge_name(request_.url.host)) {
    return finish(TargetRefused{*refusal});
  }
  if (const DnsAnswer* answer = parts_.resolver.cached(request_.url.host)) {
    return resolved(*answer);
  }
  lookup_ = parts_.resolver.resolve(request_.url.host, [this](const DnsAnswer& answer) {
    lookup_ = Resolver::LookupId::kNone;
    now_ = parts_.loop.now();
    parts_.loop.readiness().look();
    resolved(answer);
  });
}

void Exchange::resolved(const DnsAnswer& answer) {
  if (answer.failure == DnsFailure::kUnreachable) {
    return finish(NotStarted{StartFailure::kResolversUnreachable});
  }
  if (answer.failure.has_value()) {
    return finish(NameFailed{*answer.failure});
  }
  use_addresses(answer.addresses);
}

// One forbidden answer refuses the name: whoever mixes them is up to something.
void Exchange::use_addresses(std::span<const Address> addresses) {
  for (const Address& address : addresses) {
    if (const auto refusal = parts_.guard.judge(address)) {
      reply_.remote = {.address = address, .port = request_.url.port};
      return finish(TargetRefused{*refusal});
    }
  }
  candidates_ = interleaved(addresses);
  enter(Phase::kConnect);
  for (const Address& address : candidates_) {
    connection_ = parts_.pool.take(key_for(address), this);
    if (connection_ != nullptr) {
      reply_.is_reused = true;
      reply_.remote = {.address = address, .port = request_.url.port};
      candidate_ = static_cast<size_t>(&address - candidates_.data());
      return talk();
    }
  }
  if (parts_.proxy.has_value()) {
    return resolve_proxy();
  }
  connect();
}

void Exchange::resolve_proxy() {
  const Url& url = parts_.proxy->url;
  proxy_ = url.literal;
  if (proxy_.has_value()) {
    return connect();
  }
  const auto use = [this](const DnsAnswer& answer) {
    lookup_ = Resolver::LookupId::kNone;
    now_ = parts_.loop.now();
    if (answer.addresses.empty()) {
      return finish(NotStarted{StartFailure::kProxyUnreachable});
    }
    proxy_ = answer.addresses.front();
    connect();
  };
  if (const DnsAnswer* answer = parts_.resolver.cached(url.host)) {
    return use(*answer);
  }
  lookup_ = parts_.resolver.resolve(url.host, use);
}

// Begins with the present candidate and goes on until one of them takes its time.
void Exchange::connect() {
  step_ = Step::kConnecting;
  while (candidate_ < candidates_.size()) {
    reply_.remote = {.address = candidates_[candidate_], .port = request_.url.port};
    Connecting connecting = open_connection();
    if (const auto* mine = std::get_if<NotStarted>(&connecting)) {
      return finish(*mine);
    }
    if (const auto* refused = std::get_if<TargetRefused>(&connecting)) {
      return finish(*refused);
    }
    if (auto* made = std::get_if<std::unique_ptr<Connection>>(&connecting)) {
      connection_ = std::move(*made);
      connection_->set_user(this);
      connection_->await_writable();
      const size_t left = candidates_.size() - candidate_;
      if (left > 1) {
        address_timer_ = parts_.loop.call_at(deadline_.share_until(now_, left), [this] {
          now_ = parts_.loop.now();
          give_up_address(ConnectFailed{ConnectFailure::kUnreachable});
        });
      }
      return;
    }
    last_failure_ = std::get<ConnectFailed>(connecting);
    candidate_ += 1;
  }
  finish(*std::move(last_failure_));
}

// When something of ours is used up, idle connections go first.
Connecting Exchange::open_connection() {
  if (parts_.connector.open_count() >= parts_.connections_max && !parts_.pool.close_oldest()) {
    return NotStarted{StartFailure::kConnectionLimit};
  }
  const SocketAddress target{.address = candidates_[candidate_], .port = request_.url.port};
  for (;;) {
    Connecting connecting = proxy_.has_value()
                                ? parts_.connector.connect_to_proxy(
                                      {.address = *proxy_, .port = parts_.proxy->url.port})
                                : parts_.connector.connect_to_receiver(target);
    const auto* mine = std::get_if<NotStarted>(&connecting);
    if (mine != nullptr && may_help_to_close_one(mine->failure) && parts_.pool.close_oldest()) {
      continue;
    }
    if (proxy_.has_value() && std::holds_alternative<ConnectFailed>(connecting)) {
      return NotStarted{StartFailure::kProxyUnreachable};
    }
    return connecting;
  }
}

void Exchange::give_up_address(const Ending& failure) {
  parts_.loop.cancel(address_timer_);
  connection_.reset();
  last_failure_ = failure;
  candidate_ += 1;
  connect();
}

void Exchange::connected() {
  if (const int error = connection_->connect_error(); error != 0) {
    const auto failure = judge_connect_error(error);
    if (proxy_.has_value()) {
      return finish(NotStarted{StartFailure::kProxyUnreachable});
    }
    if (const auto* mine = std::get_if<NotStarted>(&failure)) {
      return finish(*mine);
    }
    return give_up_address(std::get<ConnectFailed>(failure));
  }
  if (!connection_->has_expected_peer()) {
    return give_up_address(ConnectFailed{ConnectFailure::kUnreachable});
  }
  parts_.loop.cancel(address_timer_);
  if (proxy_.has_value()) {
    return tunnel();
  }
  secure_or_talk();
}

void Exchange::tunnel() {
  step_ = Step::kTunnelling;
  const std::string head = tunnel_head(reply_.remote->to_string(), parts_.proxy->authorization);
  reader_.emplace(parts_.response);
  // It fits into the socket's empty buffer.
  if (connection_->write(head).bytes != head.size()) {
    return finish(NotStarted{StartFailure::kProxyUnreachable});
  }
  connection_->await_readable();
}

// The proxy itself failing is our failure; what it says about the receiver is the receiver's.
void Exchange::read_tunnel_answer() {
  const IoResult result = connection_->read(parts_.buffer);
  if (result.state == IoState::kWantsRead) {
    return connection_->await_readable();
  }
  if (result.state != IoState::kDone ||
      reader_->feed({parts_.buffer.data(), result.bytes}) == ResponseReader::State::kMalformed) {
    return finish(NotStarted{StartFailure::kProxyUnreachable});
  }
  if (!reader_->has_head()) {
    return connection_->await_readable();
  }
  const uint16_t status = reader_->head().status;
  if (status == 407 || (status < 300 && !reader_->body().empty())) {
    return finish(NotStarted{StartFailure::kProxyUnreachable});
  }
  if (status >= 300) {
    return finish(ConnectFailed{ConnectFailure::kRefusedByProxy});
  }
  secure_or_talk();
}

void Exchange::secure_or_talk() {
  if (!request_.url.is_tls) {
    return talk();
  }
  step_ = Step::kSecuring;
  enter(Phase::kTls);
  const TlsPeer peer{.host = request_.url.host, .literal = request_.url.literal};
  SSL_SESSION* session = parts_.pool.session(key_for(candidates_[candidate_]));
  if (!connection_->start_tls(identity(), peer, session)) {
    return finish(NotStarted{StartFailure::kNoMemory});
  }
  secure();
}

void Exchange::secure() {
  switch (connection_->handshake().state) {
    case IoState::kDone:
      return talk();
    case IoState::kWantsRead:
      return connection_->await_readable();
    case IoState::kWantsWrite:
      return connection_->await_writable();
    case IoState::kEnd:
    case IoState::kBroken:
      break;
  }
  if (const auto& problem = connection_->tls()->problem()) {
    return finish(TlsFailed{*problem});
  }
  finish(BrokenOff{Phase::kTls});
}

void Exchange::talk() {
  step_ = Step::kTalking;
  enter(Phase::kWrite);
  reader_.emplace(parts_.response);
  is_write_broken_ = false;
  // Nearly always all of it goes out at once; only what does not is kept.
  std::string& text = parts_.scratch;
  text.clear();
  append_head(request_, text);
  const bool is_small = request_.body->size() <= kSmallBody;
  if (is_small) {
    text.append(*request_.body);
  }
  unsent_body_ = is_small ? std::string_view() : std::string_view(*request_.body);
  unsent_head_ = text;
  write_some();
  if (unsent_head_.empty()) {
    out_.clear();
  } else {
    out_ = unsent_head_;
    unsent_head_ = out_;
  }
  go_on_reading();
}

// Never ends the exchange.
void Exchange::write_some() {
  while (!is_sent() && !is_write_broken_) {
    std::string_view& rest = unsent_head_.empty() ? unsent_body_ : unsent_head_;
    const IoResult result = connection_->write(rest);
    rest.remove_prefix(result.bytes);
    if (result.state == IoState::kWantsWrite) {
      connection_->await_writable();
      break;
    }
    if (result.state == IoState::kWantsRead) {
      break;
    }
    is_write_broken_ = result.state != IoState::kDone;
  }
  if (phase_ == Phase::kWrite && is_sent()) {
    enter(Phase::kHead);
  }
}

void Exchange::go_on_reading() {
  if (is_write_broken_) {
    // A receiver may answer and close without reading all of the request.
    return read_response();
  }
  connection_->await_readable();
}

void Exchange::read_response() {
  for (;;) {
    const IoResult result = connection_->read(parts_.buffer);
    if (!reader_->has_head() && deadline_.is_over(now_)) {
      return on_deadline();
    }
    switch (result.state) {
      case IoState::kDone:
        if (!take_bytes({parts_.buffer.data(), result.bytes})) {
          return;
        }
        break;
      case IoState::kWantsRead:
        return is_write_broken_ ? connection_broke() : connection_->await_readable();
      case IoState::kWantsWrite:
        return connection_->await_writable();
      case IoState::kEnd:
      case IoState::kBroken:
        return connection_broke();
    }
  }
}

// Says whether to read on at once.
bool Exchange::take_bytes(std::string_view bytes) {
  const bool had_head = reader_->has_head();
  const ResponseReader::State state = reader_->feed(bytes);
  if (state == ResponseReader::State::kMalformed) {
    finish(Malformed{reader_->problem()});
    return false;
  }
  if (!had_head && reader_->has_head()) {
    enter(Phase::kBody);
  }
  if (state == ResponseReader::State::kDone) {
    finish_response();
    return false;
  }
  if (bytes.size() < parts_.buffer.size() && !connection_->has_pending() && !is_write_broken_) {
    connection_->await_readable();
    return false;
  }
  return true;
}

void Exchange::connection_broke() {
  if (reader_->has_head()) {
    if (reader_->state() == ResponseReader::State::kBody) {
      reader_->end_of_stream();
    }
    return finish_response();
  }
  if (reply_.is_reused && !reader_->has_begun() && !is_retried_) {
    is_retried_ = true;
    reply_.is_reused = false;
    connection_.reset();
    enter(Phase::kConnect);
    return parts_.proxy.has_value() ? resolve_proxy() : connect();
  }
  if (connection_->tls() != nullptr && connection_->tls()->problem().has_value()) {
    return finish(TlsFailed{*connection_->tls()->problem()});
  }
  finish(BrokenOff{phase_});
}

void Exchange::finish_response() {
  const PoolKey key = key_for(candidates_[candidate_]);
  if (TlsStream* tls = connection_->tls()) {
    if (SslSessionPtr session = tls->take_session()) {
      parts_.pool.keep_session(key, std::move(session));
    }
  }
  if (reader_->is_reusable() && is_sent()) {
    parts_.pool.give(key, std::move(connection_));
  }
  finish(Response{.head = std::move(reader_->head()),
                  .body = std::move(reader_->body()),
                  .is_body_cut = reader_->is_body_cut()});
}

void Exchange::on_readable() {
  now_ = parts_.loop.now();
  switch (step_) {
    case Step::kTunnelling:
      return read_tunnel_answer();
    case Step::kSecuring:
      return secure();
    case Step::kTalking:
      // TLS may have had to read before it could write on.
      if (phase_ == Phase::kWrite && connection_->tls() != nullptr) {
        write_some();
      }
      return read_response();
    case Step::kResolving:
    case Step::kConnecting:
    case Step::kFinished:
      return;
  }
}

void Exchange::on_writable() {
  now_ = parts_.loop.now();
  switch (step_) {
    case Step::kConnecting:
      return connected();
    case Step::kSecuring:
      return secure();
    case Step::kTalking:
      write_some();
      return go_on_reading();
    case Step::kResolving:
    case Step::kTunnelling:
    case Step::kFinished:
      return;
  }
}

void Exchange::on_deadline() {
  if (step_ == Step::kTalking && reader_->has_head()) {
    return finish_response();
  }
  if (phase_ == Phase::kDns && parts_.resolver.is_unreachable_since(started_)) {
    return finish(NotStarted{StartFailure::kResolversUnreachable});
  }
  if (step_ == Step::kConnecting && parts_.proxy.has_value()) {
    return finish(NotStarted{StartFailure::kProxyUnreachable});
  }
  finish(TimedOut{phase_});
}

// The exchange may be gone when this returns.
void Exchange::finish(Ending ending) {
  enter(phase_);
  step_ = Step::kFinished;
  parts_.loop.cancel(deadline_timer_);
  parts_.loop.cancel(address_timer_);
  connection_.reset();
  reply_.ending = std::move(ending);
  const Done done = std::move(done_);
  done(std::move(reply_));
}

void Exchange::enter(Phase phase) {
  base::Duration& time = reply_.times[static_cast<size_t>(phase_)];
  time = time + (now_ - phase_since_);
  phase_ = phase;
  phase_since_ = now_;
}

PoolKey Exchange::key_for(const Address& address) const {
  return {.owner = request_.pool_owner,
          .host = base::hash_bytes(request_.url.host),
          .identity = request_.url.is_tls ? identity().id() : 0,
          .target = {.address = address, .port = request_.url.port}};
}

}  // namespace net
