#include "net/header_rules.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

namespace net {

namespace {

// Sorted. What the request's framing, the connection, the body's description or our own identity
// hangs on.
constexpr auto kReservedNames = std::to_array<std::string_view>({
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "te",
    "traceparent",
    "tracestate",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
});
static_assert(std::ranges::is_sorted(kReservedNames));

constexpr auto kReservedPrefixes =
    std::to_array<std::string_view>({"postrider-", "proxy-", "webhook-"});

bool is_token_character(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kMarks.contains(c);
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool is_value_character(char c) { return (c > ' ' && c < '\x7f') || is_blank(c); }

std::string to_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return lower;
}

std::unexpected<base::Error> refuse(std::string detail) {
  return base::fail(base::ErrorCode::kInvalid, std::move(detail));
}

}  // namespace

bool is_header_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, is_token_character);
}

bool is_header_value(std::string_view value) {
  return std::ranges::all_of(value, is_value_character) &&
         (value.empty() || (!is_blank(value.front()) && !is_blank(value.back())));
}

bool is_reserved_header(std::string_view name) {
  const std::string lower = to_lower(name);
  return std::ranges::binary_search(kReservedNames, std::string_view(lower)) ||
         std::ranges::any_of(kReservedPrefixes,
                             [&](std::string_view prefix) { return lower.starts_with(prefix); });
}

base::Result<void> check_custom_header(std::string_view name, std::string_view value) {
  if (name.size() + value.size() > kCustomHeaderSizeMax) {
    return refuse("a header is longer than 4096 bytes; shorten its value");
  }
  if (!is_header_name(name)) {
    return refuse(
        "a header's name is empty or contains a character that no name has; use letters, digits "
        "and hyphens");
  }
  const std::string quoted = "the header '" + std::string(name) + "' ";
  if (is_reserved_header(name)) {
    return refuse(quoted + "is set by the server itself; choose another name");
  }
  if (!std::ranges::all_of(value, is_value_character)) {
    return refuse(quoted +
                  "has a value with a control character, a line break or a character that is not "
                  "ASCII; remove it");
  }
  if (!is_header_value(value)) {
    return refuse(quoted +
                  "has a value that starts or ends with a blank, which would be lost on the way; "
                  "remove it");
  }
  return {};
}

base::Result<void> check_custom_headers(std::span<const Header> headers) {
  if (headers.size() > kCustomHeadersMax) {
    return refuse("there are more than 20 headers; remove some");
  }
  std::set<std::string> names;
  for (const Header& header : headers) {
    const auto checked = check_custom_header(header.name, header.value);
    if (!checked.has_value()) {
      return checked;
    }
    if (!names.insert(to_lower(header.name)).second) {
      return refuse("the header '" + header.name + "' is there twice; keep one");
    }
  }
  return {};
}

}  // namespace net
