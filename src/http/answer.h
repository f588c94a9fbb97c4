// The duty to answer one request, and the answer that goes on for a while.
//
// An Answer is handed over with its request and must be used exactly once; one that is dropped
// stops the process, for its client would wait for ever. A client that has gone away is nothing
// that who answers needs to know: the answer falls harmlessly.
//
// Answers may outlive their server, but not its loop.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "http/response.h"
#include "net/loop.h"

namespace http {

class Sessions;

// Where answers are handed in. Shared by all answers of a server; closed when the server goes.
struct AnswerDesk {
  net::Loop& loop;
  Sessions* sessions;                // on the loop's thread; null when the server has gone
  std::atomic<bool> is_open = true;  // for the other threads
};

// Why a stream has ended.
enum class StreamEnd : uint8_t {
  kFinished,  // by who wrote it
  kClientGone,
  kSlowReader,  // more was waiting than a stream may have, or it was taken too slowly
  kDraining,    // the server is about to stop
};
using OnStreamEnd = std::function<void(StreamEnd reason)>;

// Tells `on_end`, posted, if the server is still there then.
void post_stream_end(const std::shared_ptr<AnswerDesk>& desk, OnStreamEnd on_end, StreamEnd reason);

// A body that is written bit by bit, as server-sent events are. On the loop's thread.
class Stream {
 public:
  Stream(std::shared_ptr<AnswerDesk> desk, uint64_t session, uint64_t number)
      : desk_(std::move(desk)), session_(session), number_(number) {}

  // False if the stream has ended; `on_end` has been told why.
  bool write(std::string_view bytes);
  // Nothing happens if it has ended already.
  void finish();
  // Written, and not taken by the client's machine yet; 0 if the stream has ended. Who looks at it
  // before he writes need not lose a slow reader.
  size_t unsent_bytes() const;

 private:
  std::shared_ptr<AnswerDesk> desk_;
  uint64_t session_;
  uint64_t number_;  // among the session's streams
};

class Answer {
 public:
  Answer(std::shared_ptr<AnswerDesk> desk, uint64_t session)
      : desk_(std::move(desk)), session_(session) {}
  ~Answer();

  Answer(Answer&&) noexcept = default;
  Answer& operator=(Answer&&) = delete;
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  // On the loop's thread.
  void send(const Response& response);
  // From any thread; the answer is sent on the loop's.
  void post(Response response);
  // On the loop's thread. The head is sent, and the body follows; `on_end` runs once, posted,
  // unless the server goes first.
  Stream stream(const Response& head, OnStreamEnd on_end);

 private:
  std::shared_ptr<AnswerDesk> desk_;  // null once answered
  uint64_t session_;
};

}  // namespace http
