#include "http/request_line.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "http/grammar.h"

namespace http {
namespace {

enum Kind : uint8_t { kPath = 1, kQuery = 2, kAuthority = 4 };

constexpr std::array<uint8_t, 256> make_kinds() {
  std::array<uint8_t, 256> kinds{};
  const auto allow = [&](std::string_view characters, unsigned kind) {
    for (const char character : characters) {
      kinds[static_cast<unsigned char>(character)] |= static_cast<uint8_t>(kind);
    }
  };
  allow("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~%",
        kPath | kQuery | kAuthority);
  allow("!$&'()*+,;=:@/", kPath | kQuery);
  // Brackets in a query are no URI by the letter, but every browser sends them as they are.
  allow("?[]", kQuery);
  allow(":[]", kAuthority);
  return kinds;
}

constexpr std::array<uint8_t, 256> kKinds = make_kinds();

bool are_all(std::string_view text, Kind kind) {
  return std::ranges::all_of(text, [kind](char character) {
    return (kKinds[static_cast<unsigned char>(character)] & kind) != 0;
  });
}

bool is_digit(char character) { return character >= '0' && character <= '9'; }

const Refusal* parse_version(std::string_view version, RequestLine& parsed) {
  const bool is_version = version.size() == 8 && version.starts_with("HTTP/") &&
                          is_digit(version[5]) && version[6] == '.' && is_digit(version[7]);
  if (!is_version) {
    return &kBadRequestLine;
  }
  parsed.is_http_1_0 = version == "HTTP/1.0";
  return parsed.is_http_1_0 || version == "HTTP/1.1" ? nullptr : &kUnknownVersion;
}

// Takes "http://authority" off an absolute target, so that a path or a query is left, or nothing.
// False if it is not one.
bool take_origin(std::string_view& target) {
  const size_t colon = target.find("://");
  if (colon == std::string_view::npos) {
    return false;
  }
  const std::string_view scheme = target.substr(0, colon);
  if (!equals_ignoring_case(scheme, "http") && !equals_ignoring_case(scheme, "https")) {
    return false;
  }
  target.remove_prefix(colon + 3);
  const std::string_view authority = target.substr(0, target.find_first_of("/?"));
  target.remove_prefix(authority.size());
  return is_authority(authority);
}

const Refusal* parse_target(std::string_view target, RequestLine& parsed) {
  if (target == "*" && parsed.method == Method::kOptions) {
    parsed.path = target;
    return nullptr;
  }
  const bool is_absolute = !target.empty() && target.front() != '/';
  if (target.empty() || (is_absolute && !take_origin(target))) {
    return &kBadRequestLine;
  }
  const size_t mark = target.find('?');
  parsed.path = target.substr(0, mark);
  parsed.query =
      mark == std::string_view::npos ? target.substr(target.size()) : target.substr(mark + 1);
  return are_all(parsed.path, kPath) && are_all(parsed.query, kQuery) ? nullptr : &kBadTarget;
}

}  // namespace

const Refusal* parse_request_line(std::string_view line, RequestLine& parsed) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || last == first || !is_token(line.substr(0, first))) {
    return &kBadRequestLine;
  }
  if (const Refusal* refusal = parse_version(line.substr(last + 1), parsed)) {
    return refusal;
  }
  const std::optional<Method> method = parse_method(line.substr(0, first));
  if (!method.has_value()) {
    return &kUnknownMethod;
  }
  parsed.method = *method;
  return parse_target(line.substr(first + 1, last - first - 1), parsed);
}

bool is_authority(std::string_view text) {
  return !text.empty() && text.front() != ':' && are_all(text, kAuthority);
}

}  // namespace http
