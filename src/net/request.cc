#include "net/request.h"

#include <algorithm>

namespace net {
namespace {

// Content codings are refused rather than decoded: nothing here can be made to swell.
constexpr std::string_view kFixedLines = "Accept: */*\r\nAccept-Encoding: identity\r\n";

bool fits_a_line(std::string_view text) {
  return std::ranges::none_of(text,
                              [](char byte) { return byte == '\r' || byte == '\n' || byte == '\0'; });
}

}  // namespace

std::optional<std::string> request_head(const Request& request) {
  std::string head;
  head.reserve(1024);
  head.append("POST ").append(request.url.target).append(" HTTP/1.1\r\nHost: ");
  head.append(request.url.authority()).append("\r\nContent-Length: ");
  head.append(std::to_string(request.body->size())).append("\r\n").append(kFixedLines);
  for (const Header& header : request.headers) {
    if (!fits_a_line(header.name) || !fits_a_line(header.value)) {
      return std::nullopt;
    }
    head.append(header.name).append(": ").append(header.value).append("\r\n");
  }
  head.append("\r\n");
  return head;
}

std::string tunnel_head(std::string_view authority, std::string_view authorization) {
  std::string head;
  head.append("CONNECT ").append(authority).append(" HTTP/1.1\r\nHost: ").append(authority);
  if (!authorization.empty()) {
    head.append("\r\nProxy-Authorization: ").append(authorization);
  }
  head.append("\r\n\r\n");
  return head;
}

}  // namespace net
