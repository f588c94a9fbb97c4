// One client's connection: reads a request, hands it over, sends the answer, reads the next.
//
// One request at a time. Requests that a client sends ahead (pipelining) wait in a small buffer and
// then in the kernel's, and are answered in order by construction; RFC 9112 lets a server run
// only safe ones side by side, and nobody who pipelines would notice. Answers that are there at
// once leave together in one write.
//
// Whatever happens to a session happens in a turn: an entry point works, then everything that can
// go on goes on, then the session may be gone.
#pragma once

#include <atomic>
#include <boost/intrusive/list_hook.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"
#include "http/answer.h"
#include "http/patience.h"
#include "http/refusal.h"
#include "http/request_reader.h"
#include "http/response.h"
#include "net/connection.h"

namespace http {

class Sessions;

// A session is in the order of idle ones, or in none.
using IdleHook =
    boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

class Session final : public net::ConnectionUser, public IdleHook {
 public:
  Session(Sessions& sessions, uint64_t id, const net::SocketAddress& peer,
          std::atomic<size_t>& open_count);
  ~Session() override;

  // Takes over a connected descriptor; false if the system cannot watch one more.
  bool adopt(int descriptor) { return connection_.adopt(descriptor); }

  // One of these first. Each of the following may end in the session's destruction.
  void begin();
  void turn_away(const Refusal& refusal);

  // To the request under way.
  void answer(const Response& response);
  void start_stream(const Response& head, OnStreamEnd on_end);

  // To one of its streams, by number: a connection may have one after the other.
  uint64_t next_stream() const { return streams_ + 1; }
  bool write_stream(uint64_t stream, std::string_view bytes);
  void finish_stream(uint64_t stream);
  size_t unsent_bytes(uint64_t stream) const {
    return is_streaming(stream) ? unsent_.size() - sent_ : 0;
  }

  // The client's time for what it is doing is over.
  void run_out_of_time();
  // Ends when what is under way is answered.
  void drain();
  void close();

  void on_readable() override;
  void on_writable() override;

  uint64_t id() const { return id_; }
  const net::SocketAddress& peer() const { return connection_.remote(); }
  const Patience& patience() const { return patience_; }

 private:
  // kReading <-> kAnswering | kStreaming, then kEnding -> (kLingering ->) kClosed.
  enum class Phase : uint8_t {
    kReading,    // waits for a request, or is within one
    kAnswering,  // a request is handed over
    kStreaming,  // its answer goes on
    kEnding,     // the last answer is written; closes when the client has taken it
    kLingering,  // it has, but may still be sending what nobody will read
    kClosed,
  };

  template <class Work>
  void turn(Work work);
  void go_on();
  void settle();
  void wait_for_client();

  void read();
  void take_arrived(std::string_view bytes);
  void take_backlog();
  size_t take_requests(std::string_view bytes);
  void hand_over();
  void refuse(const Refusal& refusal);
  void append_answer(const Response& response, bool is_stream);
  void end_of_input();
  void lose_client();
  bool is_streaming(uint64_t stream) const {
    return phase_ == Phase::kStreaming && stream == streams_;
  }
  void end_stream(StreamEnd reason);
  bool flush();
  void linger();
  void set_closed() { phase_ = Phase::kClosed; }
  void note_held();

  Sessions& sessions_;
  const uint64_t id_;
  Phase phase_ = Phase::kReading;
  bool is_in_turn_ = false;
  bool is_new_ = true;          // no request has been read yet
  bool is_input_over_ = false;  // the client sends no more
  bool keeps_alive_ = true;     // after the answer under way
  bool lingers_ = false;        // the client may not have sent all of what was refused
  bool is_head_ = false;        // the request under way
  bool is_http_1_0_ = false;
  RequestReader reader_;
  Patience patience_;
  std::string request_id_;
  std::string backlog_;  // arrived and not read
  std::string unsent_;
  size_t sent_ = 0;            // of unsent_
  size_t held_bytes_ = 0;      // as Sessions knows it
  uint64_t sent_in_wait_ = 0;  // since the client was last waited for to take an answer
  uint64_t streams_ = 0;       // started
  OnStreamEnd on_stream_end_;
  net::Connection connection_;
};

}  // namespace http
