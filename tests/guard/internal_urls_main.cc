// internal_urls <port>: prints each URL of internal_urls() as one JSON string per line.

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "tests/guard/internal_urls.h"

namespace {

std::string as_json(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      json += "\\u00";
      json += kDigits[static_cast<size_t>(c) >> 4U];
      json += kDigits[static_cast<size_t>(c) & 15U];
      continue;
    }
    if (c == '"' || c == '\\') {
      json += '\\';
    }
    json += c;
  }
  return json + '"';
}

}  // namespace

int main(int count, char** arguments) {
  uint16_t port = 0;
  const std::string_view text = count == 2 ? arguments[1] : "";
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (stop != end || error != std::errc() || port == 0) {
    std::fputs("usage: internal_urls <port>\n", stderr);
    return 2;
  }
  for (const guard::InternalUrl& url : guard::internal_urls(port)) {
    std::puts(as_json(url.text).c_str());
  }
  return 0;
}
