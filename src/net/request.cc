#include "net/request.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "base/check.h"

namespace net {
namespace {

// Content codings are refused rather than decoded: nothing here can be made to swell.
constexpr std::string_view kFixedLines = "Accept: */*\r\nAccept-Encoding: identity\r\n";

bool is_control(char byte) { return static_cast<unsigned char>(byte) < 0x20 && byte != '\t'; }

// Eight bytes at a time; this is done for every header of every request.
bool fits_a_line(std::string_view text) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, 8);
    const bool may_have_control = ((bytes - kOnes * 0x20) & ~bytes & (kOnes * 0x80)) != 0;
    if (may_have_control && std::ranges::any_of(text.substr(at, 8), is_control)) {
      return false;
    }
  }
  return std::ranges::none_of(text.substr(at), is_control);
}

// Many short pieces at the price of one append.
void append_all(std::string& text, std::initializer_list<std::string_view> pieces) {
  const size_t old_size = text.size();
  size_t size = old_size;
  for (const std::string_view piece : pieces) {
    size += piece.size();
  }
  text.resize_and_overwrite(size, [&](char* bytes, size_t) {
    char* end = bytes + old_size;
    for (const std::string_view piece : pieces) {
      end += piece.copy(end, piece.size());
    }
    return size;
  });
}

}  // namespace

void HeaderLines::add(std::string_view name, std::string_view value) {
  is_sound_ = is_sound_ && fits_a_line(name) && fits_a_line(value);
  if (text_.empty()) {
    text_.reserve(512);
  }
  append_all(text_, {name, ": ", value, "\r\n"});
}

void append_head(const Request& request, std::string& text) {
  CHECK(request.headers.is_sound());
  append_all(text, {"POST ", request.url.target, " HTTP/1.1\r\nHost: ", request.url.authority(),
                    "\r\nContent-Length: ", std::to_string(request.body->size()), "\r\n",
                    kFixedLines, request.headers.text(), "\r\n"});
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
