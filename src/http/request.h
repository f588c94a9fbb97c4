// One request as it was read: views into the bytes that arrived, valid only during the call that
// they are handed to. What is needed later is copied by who needs it.
#pragma once

#include <string_view>

#include "http/fields.h"
#include "http/method.h"
#include "net/address.h"

namespace http {

struct Request {
  Method method = Method::kGet;
  std::string_view path;   // as sent, still percent-encoded; "*" for OPTIONS *
  std::string_view query;  // without the question mark, still encoded
  Fields fields;
  std::string_view body;
  bool keeps_alive = false;  // the client wants to send another request on this connection
  bool is_http_1_0 = false;
  std::string_view id;  // for X-Request-Id, logs and errors; set by the server
  net::Address peer = net::Address::v4(0);
};

}  // namespace http
