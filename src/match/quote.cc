#include "match/quote.h"

#include <fmt/core.h>

namespace match {

namespace {

constexpr size_t kQuotedMax = 64;

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

}  // namespace

std::string quote(std::string_view text) {
  size_t end = text.size();
  if (end > kQuotedMax) {
    end = kQuotedMax;
    while (end > 0 && is_continuation(text[end])) {
      --end;
    }
  }
  std::string quoted = "\"";
  for (const char c : text.substr(0, end)) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + (end < text.size() ? "...\"" : "\"");
}

}  // namespace match
