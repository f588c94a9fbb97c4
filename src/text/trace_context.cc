#include "text/trace_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/check.h"

namespace text {
namespace {

constexpr size_t kVersionAt = 0;
constexpr size_t kTraceAt = 3;
constexpr size_t kSpanAt = 36;
constexpr size_t kFlagsAt = 53;
constexpr size_t kSize = 55;

constexpr std::string_view kOurVersion = "00";
constexpr std::string_view kNoVersion = "ff";

// Sampled, and "the trace id is random" of level 2: the only ones that have a meaning.
constexpr uint8_t kKnownFlags = 3;

// Capitals are malformed.
bool is_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_id(std::string_view text) {
  return is_hex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

// Later versions may go on after another dash; ours may not.
bool has_right_size(std::string_view header) {
  if (header.size() <= kSize) {
    return header.size() == kSize;
  }
  return header[kSize] == '-' && !header.starts_with(kOurVersion);
}

bool is_sound(std::string_view header) {
  return has_right_size(header) && header[kTraceAt - 1] == '-' && header[kSpanAt - 1] == '-' &&
         header[kFlagsAt - 1] == '-' && is_hex(header.substr(kVersionAt, 2)) &&
         !header.starts_with(kNoVersion) && is_id(header.substr(kTraceAt, 32)) &&
         is_id(header.substr(kSpanAt, 16)) && is_hex(header.substr(kFlagsAt, 2));
}

}  // namespace

std::optional<std::string> read_traceparent(std::string_view header) {
  if (!is_sound(header)) {
    return std::nullopt;
  }
  uint8_t flags = 0;
  std::from_chars(header.data() + kFlagsAt, header.data() + kSize, flags, 16);
  return fmt::format("{}-{}-{}-{:02x}", kOurVersion, header.substr(kTraceAt, 32),
                     header.substr(kSpanAt, 16), flags & kKnownFlags);
}

std::string with_span(std::string_view traceparent, uint64_t span) {
  CHECK_EQ(traceparent.size(), kSize);
  return fmt::format("{}{:016x}{}", traceparent.substr(0, kSpanAt), span == 0 ? 1 : span,
                     traceparent.substr(kFlagsAt - 1));
}

}  // namespace text
