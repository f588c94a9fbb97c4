#include "http/session.h"

#include <sys/socket.h>

#include <span>
#include <utility>

#include "base/check.h"
#include "http/options.h"
#include "http/sessions.h"
#include "net/io_result.h"

namespace http {
namespace {

// What a quiet connection keeps of its buffer for answers; anything larger is given back.
constexpr size_t kUnsentBytesKept = 512;

}  // namespace

Session::Session(Sessions& sessions, uint64_t id, const net::SocketAddress& peer,
                 std::atomic<size_t>& open_count)
    : sessions_(sessions),
      id_(id),
      reader_(sessions.options().limits),
      connection_(sessions.loop(), peer, open_count) {
  connection_.set_user(this);
}

Session::~Session() { sessions_.note_held(0, held_bytes_); }

// `work` and what follows from it. Entered again from within (an answer that is there at once), it
// is part of the turn under way. The session may be gone afterwards.
template <class Work>
void Session::turn(Work work) {
  if (is_in_turn_) {
    return work();
  }
  is_in_turn_ = true;
  work();
  go_on();
  note_held();
  is_in_turn_ = false;
  if (phase_ == Phase::kClosed) {
    sessions_.forget(*this);
  }
}

void Session::begin() {
  turn([] {});
}

void Session::turn_away(const Refusal& refusal) {
  turn([&] { refuse(refusal); });
}

void Session::answer(const Response& response) {
  turn([&] {
    if (phase_ != Phase::kAnswering) {
      return;  // The client went away in this very turn.
    }
    append_answer(response, false);
    phase_ = keeps_alive_ ? Phase::kReading : Phase::kEnding;
  });
}

void Session::start_stream(const Response& head, OnStreamEnd on_end) {
  turn([&] {
    CHECK(phase_ == Phase::kAnswering || phase_ == Phase::kClosed);
    streams_ += 1;
    on_stream_end_ = std::move(on_end);
    if (phase_ == Phase::kClosed) {
      return end_stream(StreamEnd::kClientGone);
    }
    keeps_alive_ = keeps_alive_ && !is_http_1_0_;
    append_answer(head, true);
    phase_ = Phase::kStreaming;
    if (is_head_) {
      end_stream(StreamEnd::kFinished);
      phase_ = keeps_alive_ ? Phase::kReading : Phase::kEnding;
    }
  });
}

bool Session::write_stream(uint64_t stream, std::string_view bytes) {
  if (!is_streaming(stream)) {
    return false;
  }
  const size_t waiting = unsent_.size() - sent_;
  const bool is_too_much = waiting + bytes.size() > sessions_.options().stream_unsent_bytes_max;
  turn([&] {
    if (is_too_much) {
      sessions_.counts().slow_readers += 1;
      end_stream(StreamEnd::kSlowReader);
      set_closed();
    } else if (is_http_1_0_) {
      unsent_.append(bytes);
    } else if (!bytes.empty()) {
      append_chunk(unsent_, bytes);
    }
  });
  return !is_too_much;
}

void Session::finish_stream(uint64_t stream) {
  turn([&] {
    if (!is_streaming(stream)) {
      return;
    }
    end_stream(StreamEnd::kFinished);
    unsent_.append(is_http_1_0_ ? "" : kLastChunk);
    phase_ = keeps_alive_ ? Phase::kReading : Phase::kEnding;
  });
}

void Session::run_out_of_time() {
  turn([&] {
    sessions_.counts().timed_out += 1;
    const bool is_within_request =
        patience_.what() == Wait::kBody || (patience_.what() == Wait::kHead && reader_.has_begun());
    if (is_within_request) {
      return refuse(kTooSlow);
    }
    if (patience_.what() == Wait::kAnswer) {
      sessions_.counts().slow_readers += 1;
      end_stream(StreamEnd::kSlowReader);
    }
    set_closed();
  });
}

void Session::drain() {
  turn([&] {
    keeps_alive_ = false;
    if (phase_ == Phase::kStreaming) {
      end_stream(StreamEnd::kDraining);
      unsent_.append(is_http_1_0_ ? "" : kLastChunk);
      phase_ = Phase::kEnding;
    } else if (phase_ == Phase::kReading && !reader_.has_begun() && backlog_.empty()) {
      phase_ = Phase::kEnding;
    }
  });
}

void Session::close() {
  turn([&] { lose_client(); });
}

void Session::on_readable() {
  turn([&] { read(); });
}

void Session::on_writable() {
  turn([] {});
}

void Session::read() {
  const std::span<char> room = sessions_.read_room();
  const net::IoResult result = connection_.read(room);
  switch (result.state) {
    case net::IoState::kDone:
      sessions_.counts().bytes_read += result.bytes;
      return take_arrived({room.data(), result.bytes});
    case net::IoState::kWantsRead:
    case net::IoState::kWantsWrite:
      return;
    case net::IoState::kEnd:
      return end_of_input();
    case net::IoState::kBroken:
      return lose_client();
  }
}

void Session::take_arrived(std::string_view bytes) {
  if (phase_ == Phase::kReading && backlog_.empty()) {
    bytes.remove_prefix(take_requests(bytes));
  }
  if (phase_ == Phase::kReading || phase_ == Phase::kAnswering) {
    backlog_.append(bytes);
  }
}

void Session::take_backlog() {
  if (backlog_.empty() || phase_ != Phase::kReading) {
    return;
  }
  // Taken out first: what is handed over are views into it.
  const std::string bytes = std::exchange(backlog_, {});
  const size_t taken = take_requests(bytes);
  if (phase_ == Phase::kReading || phase_ == Phase::kAnswering) {
    backlog_ = bytes.substr(taken);
  }
}

// Reads and hands over what it can, and says how much that was.
size_t Session::take_requests(std::string_view bytes) {
  size_t taken = 0;
  while (phase_ == Phase::kReading && taken < bytes.size() &&
         unsent_.size() - sent_ <= sessions_.options().unsent_bytes_max) {
    taken += reader_.feed(bytes.substr(taken));
    if (reader_.state() == RequestReader::State::kDone) {
      hand_over();
    } else if (reader_.state() == RequestReader::State::kRefused) {
      refuse(reader_.refusal());
    } else if (!sessions_.has_room_for(reader_.held_bytes(), held_bytes_)) {
      refuse(kTooMuchAtOnce);
    } else if (reader_.take_expectation()) {
      unsent_.append(kContinue);
    }
  }
  return taken;
}

void Session::hand_over() {
  Request request = reader_.request();
  sessions_.ids().assign(request_id_, request.fields);
  request.id = request_id_;
  request.peer = peer().address;
  is_head_ = request.method == Method::kHead;
  is_http_1_0_ = request.is_http_1_0;
  keeps_alive_ = request.keeps_alive && !sessions_.is_draining();
  is_new_ = false;
  phase_ = Phase::kAnswering;
  patience_.start_over();
  sessions_.counts().requests += 1;
  sessions_.site().on_request(request, Answer(sessions_.desk(), id_));
  reader_.reset();
}

void Session::refuse(const Refusal& refusal) {
  sessions_.counts().refused_requests += 1;
  sessions_.ids().assign_new(request_id_);
  Response response = sessions_.site().explain(refusal, request_id_);
  if (refusal.status == 503 || refusal.status == 429) {
    response.add("Retry-After", std::to_string(sessions_.options().retry_after.count_ms() / 1000));
  }
  reader_.give_up();
  backlog_.clear();
  is_head_ = false;
  keeps_alive_ = false;
  lingers_ = true;
  append_answer(response, false);
  phase_ = Phase::kEnding;
}

void Session::append_answer(const Response& response, bool is_stream) {
  keeps_alive_ = keeps_alive_ && !sessions_.is_draining() && !is_input_over_;
  append_response(unsent_, response,
                  {.date = sessions_.date(),
                   .request_id = request_id_,
                   .is_head = is_head_,
                   .closes = !keeps_alive_,
                   .is_stream = is_stream,
                   .is_http_1_0 = is_http_1_0_});
}

// A client may end its side and still wait for the answer; one that listens to a stream has gone.
void Session::end_of_input() {
  is_input_over_ = true;
  keeps_alive_ = false;
  if (phase_ == Phase::kStreaming || phase_ == Phase::kLingering) {
    lose_client();
  } else if (phase_ == Phase::kReading) {
    phase_ = Phase::kEnding;
  }
}

void Session::lose_client() {
  end_stream(StreamEnd::kClientGone);
  set_closed();
}

void Session::end_stream(StreamEnd reason) {
  if (on_stream_end_ != nullptr) {
    post_stream_end(sessions_.desk(), std::exchange(on_stream_end_, nullptr), reason);
  }
}

// Everything that can happen without the client.
void Session::go_on() {
  do {
    take_backlog();
  } while (phase_ != Phase::kClosed && flush() && phase_ == Phase::kReading && !backlog_.empty());
  if (phase_ != Phase::kClosed) {
    settle();
  }
}

void Session::note_held() {
  const size_t now = reader_.held_bytes() + backlog_.size() + unsent_.size();
  sessions_.note_held(now, held_bytes_);
  held_bytes_ = now;
}

// True if nothing is left to be sent.
bool Session::flush() {
  while (sent_ < unsent_.size()) {
    const net::IoResult result = connection_.write(std::string_view(unsent_).substr(sent_));
    if (result.state == net::IoState::kBroken || result.state == net::IoState::kEnd) {
      lose_client();
      return false;
    }
    if (result.state != net::IoState::kDone) {
      return false;
    }
    sent_ += result.bytes;
    sent_in_wait_ += result.bytes;
  }
  unsent_.clear();
  sent_ = 0;
  if (unsent_.capacity() > kUnsentBytesKept) {
    std::string().swap(unsent_);
  }
  return true;
}

// Decides what to wait for, when everything that could be done is.
void Session::settle() {
  const bool is_sent = unsent_.empty();
  if (phase_ == Phase::kEnding && is_sent) {
    linger();
  }
  if (phase_ == Phase::kClosed) {
    return;
  }
  if (!is_sent) {
    connection_.await_writable();
  }
  // What came early stays in the kernel until there is use for it.
  if (!is_input_over_ && backlog_.empty()) {
    connection_.await_readable();
  }
  wait_for_client();
}

// A connection that is closed while bytes of its client are unread is reset, and the reset may
// overtake the answer. So the client is read to its end, for a while.
void Session::linger() {
  const bool may_be_sending = lingers_ || !backlog_.empty();
  if (!may_be_sending || is_input_over_) {
    return set_closed();
  }
  backlog_.clear();
  connection_.end_output();
  phase_ = Phase::kLingering;
}

void Session::wait_for_client() {
  const auto now = [this] { return sessions_.loop().now(); };
  if (!unsent_.empty()) {
    if (patience_.what() != Wait::kAnswer) {
      sent_in_wait_ = 0;
    }
    patience_.wait_for(Wait::kAnswer, now(), sent_in_wait_);
  } else if (phase_ == Phase::kLingering) {
    patience_.wait_for(Wait::kLinger, now());
  } else if (phase_ != Phase::kReading) {
    patience_.start_over();
  } else if (reader_.state() == RequestReader::State::kBody) {
    patience_.wait_for(Wait::kBody, now(), reader_.body_bytes());
  } else if (reader_.has_begun() || is_new_) {
    patience_.wait_for(Wait::kHead, now());
  } else {
    patience_.start_over();
    patience_.wait_for(Wait::kIdle, sessions_.recent_time());
  }
  sessions_.note_idle(*this, patience_.what() == Wait::kIdle);
}

}  // namespace http
