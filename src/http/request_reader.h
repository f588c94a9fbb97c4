// Reads requests off the bytes of one connection, one after the other. Pure: no socket, no clock.
//
// The parser is our own and strict, because one that repairs what it reads lets a client smuggle a
// request past a proxy that repairs otherwise: no bare line feeds, no folded lines, no blank before
// a colon, one Host, one Content-Length and never beside a Transfer-Encoding, no encoding but
// chunked. What is read depends on the bytes alone, never on where they were cut.
//
// A request that comes in one piece is not copied: its parts are views into that piece. One that
// comes in several is gathered, within the limits. Between requests the reader keeps nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "http/fields.h"
#include "http/refusal.h"
#include "http/request.h"
#include "http/request_line.h"
#include "net/chunked_body.h"

namespace http {

struct RequestLimits {
  size_t request_line_bytes_max = size_t{8} * 1024;
  size_t field_bytes_max = size_t{32} * 1024;  // all header lines, with their ends
  size_t fields_max = 100;
  // How large the body of such a request may be. Asked once a head with a body is complete; who
  // knows the sender by a header can trust a stranger with less.
  std::function<size_t(const Request& head)> body_bytes_max = [](const Request&) {
    return size_t{1024} * 1024;
  };
};

class RequestReader {
 public:
  enum class State : uint8_t {
    kHead,     // nothing has come yet, or the head is not complete
    kBody,     // the head is; more of the body is to come
    kDone,     // request() is there
    kRefused,  // refusal() says why; nothing more can be read from this connection
  };

  // The limits outlive the reader.
  explicit RequestReader(const RequestLimits& limits);

  // Takes bytes in the order of their arrival and says how many: all, unless the request ended
  // before. Not to be called after kDone, before reset(), nor after kRefused.
  size_t feed(std::string_view bytes);
  // Forgets the request that was read, and its memory; the next one begins.
  void reset();
  // Forgets a request that will not be read to its end, and its memory. Nothing more can be read.
  void give_up();

  State state() const { return state_; }
  // Any byte of a request has arrived.
  bool has_begun() const { return state_ != State::kHead || scanned_ > 0; }
  // After kDone. Its views are valid until reset(), and while the bytes that were fed last are.
  Request request() const;
  const Refusal& refusal() const { return *refusal_; }

  // Memory that the request under way takes.
  size_t held_bytes() const { return gathered_head_.size() + gathered_body_.size(); }
  // How much of the body has come.
  size_t body_bytes() const { return body_.size(); }
  // True once, when the client waits for "100 Continue" before it sends the body.
  bool take_expectation();

 private:
  enum class Framing : uint8_t { kNone, kLength, kChunked };

  Request head() const;
  size_t take_head(std::string_view bytes);
  bool take_line(std::string_view text);
  size_t find_line_end(std::string_view text);
  void skip_empty_line(std::string_view text);
  void take_request_line(std::string_view text, Place line);
  void take_field(std::string_view text, Place line);
  void note_field(std::string_view name, std::string_view value);
  void note_length(std::string_view value);
  void note_connection(std::string_view value);
  void end_head(std::string_view text);
  const Refusal* judge_framing() const;
  void hold_head();

  size_t take_body(std::string_view bytes);
  size_t take_length(std::string_view bytes);
  size_t take_chunks(std::string_view bytes);
  void refuse(const Refusal& refusal);

  // What the head has said so far.
  struct Head {
    Method method = Method::kGet;
    Place path;
    Place query;
    bool is_http_1_0 = false;
    bool says_close = false;
    bool expects_continue = false;
    int hosts = 0;
    int lengths = 0;
    int encodings = 0;
    uint64_t length = 0;
  };

  const RequestLimits& limits_;
  State state_ = State::kHead;
  Framing framing_ = Framing::kNone;
  bool has_request_line_ = false;
  const Refusal* refusal_ = nullptr;
  Head head_;
  size_t line_at_ = 0;    // where the line under way begins
  size_t fields_at_ = 0;  // where the header lines begin
  size_t scanned_ = 0;    // how far the line's end was looked for
  std::vector<FieldPlace> places_;
  std::string_view head_text_;  // in gathered_head_, or in the bytes that were fed last
  std::string gathered_head_;
  std::string_view body_;  // in gathered_body_, or in the bytes that were fed last
  std::string gathered_body_;
  size_t body_bytes_max_ = 0;
  net::ChunkedBody chunks_;
};

}  // namespace http
