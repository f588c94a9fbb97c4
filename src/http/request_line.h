// The first line of a request: METHOD target HTTP/1.x, with single spaces, or a refusal.
//
// The target is in origin-form (/path?query). An absolute-form (http://host/path) is taken too, as
// RFC 9112 section 3.2.2 demands: its scheme and authority are checked and left aside, just as the
// Host header is: this server answers the same under every name. "*" is taken with OPTIONS only;
// the authority-form belongs to CONNECT, which is not known here.
#pragma once

#include <string_view>

#include "http/method.h"
#include "http/refusal.h"

namespace http {

struct RequestLine {
  Method method = Method::kGet;
  std::string_view path;
  std::string_view query;
  bool is_http_1_0 = false;
};

// `line` is without its CR LF. Null if all is well; else the reason, and `parsed` is not to be
// used.
const Refusal* parse_request_line(std::string_view line, RequestLine& parsed);

// A host with or without a port: what a Host header and an absolute target may hold.
bool is_authority(std::string_view text);

}  // namespace http
