// Reads one response to a POST, from bytes as they come. Pure: no socket, no clock.
//
// Heads are parsed by Beast's basic_parser (docs/adr/0007 says why that one). Around it stand rules
// of our own, because a parser that repairs what it reads lets a receiver smuggle: no bare
// line feeds, no folded lines, one Content-Length at most and never beside a Transfer-Encoding,
// no encoding but chunked. Everything has a cap: the head, its lines, interim heads, the body.
//
// A response counts by its head. What is wrong with the body is told by is_reusable() alone: such a
// connection carries no second request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "net/chunked_body.h"
#include "net/response_head.h"

namespace net {

struct ResponseLimits {
  size_t head_bytes_max = size_t{16} * 1024;
  size_t head_lines_max = 100;
  int interim_max = 8;
  size_t body_bytes_max = size_t{64} * 1024;   // read, framing included; then it is enough
  size_t body_bytes_kept = size_t{16} * 1024;  // of the content
};

class ResponseReader {
 public:
  enum class State : uint8_t {
    kHead,       // the head is not complete
    kBody,       // the head is; more of the body is to come
    kDone,       // nothing more is expected or wanted
    kMalformed,  // before the head was complete: this is no response
  };

  explicit ResponseReader(const ResponseLimits& limits = {});

  // Takes bytes in the order of their arrival; cuts between calls do not matter. Not to be called
  // after kDone or kMalformed.
  State feed(std::string_view bytes);
  // The receiver will send no more.
  State end_of_stream();

  State state() const { return state_; }
  bool has_begun() const { return has_begun_; }  // any byte has arrived
  bool has_head() const { return state_ == State::kBody || state_ == State::kDone; }

  // Valid with has_head(). May be moved from.
  ResponseHead& head() { return head_; }
  // What was kept of the content so far, and whether there was more of it.
  std::string& body() { return body_; }
  bool is_body_cut() const { return is_body_cut_; }

  // The response ended exactly where its framing said, and the receiver wants to go on.
  bool is_reusable() const { return is_reusable_; }
  // What was wrong, in words, after kMalformed.
  std::string_view problem() const { return problem_; }

 private:
  class HeadParser;
  enum class Framing : uint8_t { kLength, kChunked, kUntilEnd };

  void take_head(std::string_view bytes);
  bool find_head_end(std::string_view text, size_t& end);
  void parse_head(std::string_view text);
  void choose_framing(const HeadParser& parser);
  void take_body(std::string_view bytes);
  bool take_framed(std::string_view& bytes);
  void keep(std::string_view content);
  void end_body(bool is_exact);
  void reject(std::string_view problem);

  ResponseLimits limits_;
  State state_ = State::kHead;
  Framing framing_ = Framing::kUntilEnd;
  bool has_begun_ = false;
  bool wants_to_go_on_ = false;  // the receiver keeps the connection
  bool is_reusable_ = false;
  bool is_body_cut_ = false;
  int interims_ = 0;
  size_t lines_seen_ = 0;  // of the head under way
  size_t scanned_ = 0;     // of its bytes: the beginning of the next line
  std::string pending_;    // of the head
  uint64_t length_left_ = 0;
  ChunkedBody chunks_;
  size_t body_bytes_ = 0;
  ResponseHead head_;
  std::string body_;
  std::string_view problem_;
};

}  // namespace net
