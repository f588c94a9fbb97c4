// What a request is answered with, and how that looks on the wire.
//
// Who answers says status, fields and body; what belongs to the connection (Date, Content-Length,
// Connection, X-Request-Id, the framing of a stream) is added when it is written, and by nobody
// else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "net/header.h"

namespace http {

struct Response {
  uint16_t status = 200;
  std::string_view content_type;  // of a constant; empty if there is no body
  std::vector<net::Header> fields;
  std::string body;

  // A control character in a value becomes a blank: no value can begin a line of its own.
  void add(std::string_view name, std::string_view value);
};

// What the connection knows and the answer does not.
struct ResponseFrame {
  std::string_view date;
  std::string_view request_id;
  bool is_head = false;    // the answer to HEAD: all but the body
  bool closes = false;     // the last answer on its connection
  bool is_stream = false;  // the body follows in chunks, as long as nobody ends it
  bool is_http_1_0 = false;
};

// Appends the answer to what is to be sent. The body of a stream is not in it.
void append_response(std::string& out, const Response& response, const ResponseFrame& frame);
// One chunk of a stream; `bytes` is not empty, for an empty chunk would end it.
void append_chunk(std::string& out, std::string_view bytes);

inline constexpr std::string_view kLastChunk = "0\r\n\r\n";
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace http
