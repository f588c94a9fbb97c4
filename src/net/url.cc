#include "net/url.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace net {

namespace {

constexpr size_t kHostSizeMax = 253;
constexpr size_t kLabelSizeMax = 63;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_label_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '_';
}
char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::unexpected<base::Error> refuse(std::string detail) {
  return base::fail(base::ErrorCode::kInvalid, std::move(detail));
}

std::unexpected<base::Error> refuse_long_url() {
  return refuse("the URL is longer than 2048 characters; use a shorter one");
}

std::string in_hex(char c) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto code = static_cast<unsigned char>(c);
  return {kDigits[code >> 4U], kDigits[code & 15U]};
}

// What no part of a URL may contain, the fragment included.
base::Result<void> check_characters(std::string_view text) {
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code == ' ' || code == '\t') {
      return refuse("a URL has no spaces; write %20 for one inside the path or the query");
    }
    if (code < 0x20 || code == 0x7f) {
      return refuse("the URL contains a control character (0x" + in_hex(c) + "); remove it");
    }
    if (code >= 0x80) {
      return refuse(
          "the URL contains a character that is not ASCII; write the host in punycode (xn--...) "
          "and percent-encode the rest");
    }
    if (c == '\\') {
      return refuse("the URL contains a backslash; write / instead, or %5C if it is meant");
    }
  }
  return {};
}

struct Parts {
  bool is_tls = false;
  std::string_view authority;
  std::string_view rest;  // path and query, perhaps empty
};

base::Result<Parts> split(std::string_view text) {
  text = text.substr(0, text.find('#'));
  const size_t colon = text.find(':');
  std::string scheme(text.substr(0, colon));
  std::ranges::transform(scheme, scheme.begin(), to_lower);
  if (colon == std::string_view::npos || (scheme != "http" && scheme != "https")) {
    return refuse("the URL does not start with https:// or http://; write it in full");
  }
  text.remove_prefix(colon + 1);
  if (!text.starts_with("//")) {
    return refuse("after " + scheme + ": come two slashes; write " + scheme + "://");
  }
  text.remove_prefix(2);
  const size_t end = std::min(text.find_first_of("/?"), text.size());
  return Parts{scheme == "https", text.substr(0, end), text.substr(end)};
}

// One number of a numeric host: decimal, octal after a 0, hexadecimal after 0x. A number too large
// for 64 bits stays too large.
std::optional<uint64_t> parse_host_number(std::string_view text) {
  int radix = 10;
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    radix = 16;
  } else if (text.size() > 1 && text[0] == '0') {
    text.remove_prefix(1);
    radix = 8;
  }
  if (text.empty()) {
    return radix == 16 ? std::optional<uint64_t>(0) : std::nullopt;  // "0x", as browsers read it
  }
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, radix);
  if (error == std::errc::result_out_of_range) {
    return UINT64_MAX;
  }
  return stop == end && error == std::errc() ? std::optional(value) : std::nullopt;
}

std::vector<std::string_view> split_labels(std::string_view host) {
  std::vector<std::string_view> labels;
  while (true) {
    const size_t dot = host.find('.');
    labels.push_back(host.substr(0, dot));
    if (dot == std::string_view::npos) {
      return labels;
    }
    host.remove_prefix(dot + 1);
  }
}

// A host whose last label is a number is an IPv4 address or nothing: no top-level domain is
// numeric, and C libraries would take it for an address.
bool ends_in_number(std::string_view last_label) {
  if (std::ranges::all_of(last_label, is_digit)) {
    return true;
  }
  return last_label.starts_with("0x") && std::ranges::all_of(last_label.substr(2), is_hex_digit);
}

base::Result<Address> parse_numeric_host(const std::vector<std::string_view>& labels) {
  if (labels.size() > 4) {
    return refuse("the host ends in a number but is no IPv4 address: it has more than four parts");
  }
  uint32_t bits = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto number = parse_host_number(labels[i]);
    if (!number.has_value()) {
      return refuse(
          "the host ends in a number but is no IPv4 address; write four decimal numbers like "
          "192.0.2.1, or a name");
    }
    const bool is_last = i + 1 == labels.size();
    // The last number fills all bytes that are left.
    const uint64_t max = is_last ? UINT32_MAX >> (8 * i) : 255;
    if (*number > max) {
      return refuse(
          "a number of the host's IPv4 address is too large; write four numbers of at "
          "most 255");
    }
    bits |= static_cast<uint32_t>(*number) << (is_last ? 0 : 24 - 8 * i);
  }
  return Address::v4(bits);
}

base::Result<void> check_label(std::string_view label) {
  if (label.empty()) {
    return refuse("the host has an empty part between two dots; remove the extra dot");
  }
  if (label.size() > kLabelSizeMax) {
    return refuse("a part of the host between two dots is longer than 63 characters");
  }
  if (!std::ranges::all_of(label, is_label_character)) {
    return refuse(
        "the host contains a character that no name has; use letters, digits, hyphens and dots");
  }
  if (label.front() == '-' || label.back() == '-') {
    return refuse("a part of the host starts or ends with a hyphen; remove it");
  }
  return {};
}

base::Result<void> set_bracketed_host(std::string_view inside, Url& url) {
  if (inside.contains('%')) {
    return refuse("the address in brackets has a zone (%...); only addresses without one work");
  }
  const auto address = Address::parse(inside);
  if (!address.has_value() || address->is_v4()) {
    return refuse(
        "brackets are only for an IPv6 address like [2001:db8::1]; write names and IPv4 "
        "addresses without them");
  }
  url.literal = address;
  url.host = address->to_string();
  return {};
}

base::Result<void> set_host(std::string_view text, Url& url) {
  if (text.contains('%')) {
    return refuse("the host contains a percent sign; write the host without percent-encoding");
  }
  std::string host(text);
  std::ranges::transform(host, host.begin(), to_lower);
  if (host.size() > 1 && host.ends_with('.')) {
    host.pop_back();  // "example.com." names the same host
  }
  if (host.size() > kHostSizeMax) {
    return refuse("the host is longer than 253 characters");
  }
  const auto labels = split_labels(host);
  for (const std::string_view label : labels) {
    const auto checked = check_label(label);
    if (!checked.has_value()) {
      return checked;
    }
  }
  if (ends_in_number(labels.back())) {
    TRY(url.literal, parse_numeric_host(labels));
    host = url.literal->to_string();
  }
  url.host = std::move(host);
  return {};
}

base::Result<uint16_t> parse_port(std::string_view text) {
  uint16_t port = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  if (text.empty() || stop != end || error != std::errc() || text[0] == '0') {
    return refuse(
        "after the host's colon comes a port from 1 to 65535; write one, or leave the "
        "colon out");
  }
  return port;
}

base::Result<void> set_authority(std::string_view text, Url& url) {
  if (text.contains('@')) {
    return refuse(
        "the URL contains a user name or password before an @; remove them and send credentials "
        "in a header");
  }
  const bool is_bracketed = text.starts_with('[');
  const size_t host_end = is_bracketed ? text.find(']') : std::min(text.find(':'), text.size());
  if (host_end == std::string_view::npos) {
    return refuse("the bracket around the host is not closed; write ] after the address");
  }
  const std::string_view host =
      is_bracketed ? text.substr(1, host_end - 1) : text.substr(0, host_end);
  if (host.empty()) {
    return refuse("the URL has no host; write one after ://");
  }
  const auto checked = is_bracketed ? set_bracketed_host(host, url) : set_host(host, url);
  if (!checked.has_value()) {
    return checked;
  }
  const std::string_view after = text.substr(host_end + (is_bracketed ? 1 : 0));
  if (after.empty()) {
    url.port = url.is_tls ? 443 : 80;
    return {};
  }
  if (after[0] != ':') {
    return refuse("after the closing bracket comes the port or the path, nothing else");
  }
  TRY(url.port, parse_port(after.substr(1)));
  return {};
}

base::Result<void> check_target(std::string_view target) {
  constexpr std::string_view kNeverRaw = "\"<>^`{|}";
  for (size_t i = 0; i < target.size(); ++i) {
    if (kNeverRaw.contains(target[i])) {
      return refuse(std::string("the path or query contains ") + target[i] + "; write %" +
                    in_hex(target[i]));
    }
    if (target[i] == '%' &&
        (i + 2 >= target.size() || !is_hex_digit(target[i + 1]) || !is_hex_digit(target[i + 2]))) {
      return refuse(
          "a percent sign in the path or query is not followed by two hexadecimal digits; write "
          "%25 for the sign itself");
    }
  }
  return {};
}

}  // namespace

std::string Url::authority() const {
  const bool needs_brackets = literal.has_value() && !literal->is_v4();
  std::string text = needs_brackets ? "[" + host + "]" : host;
  if (!has_default_port()) {
    text += ":" + std::to_string(port);
  }
  return text;
}

std::string Url::to_string() const {
  return (is_tls ? "https://" : "http://") + authority() + target;
}

base::Result<Url> parse_url(std::string_view text) {
  if (text.size() > kUrlSizeMax) {
    return refuse_long_url();
  }
  const auto characters = check_characters(text);
  if (!characters.has_value()) {
    return std::unexpected(characters.error());
  }
  TRY(const Parts parts, split(text));
  Url url{.is_tls = parts.is_tls};
  const auto authority = set_authority(parts.authority, url);
  if (!authority.has_value()) {
    return std::unexpected(authority.error());
  }
  url.target = parts.rest.starts_with('/') ? "" : "/";
  url.target += parts.rest;
  const auto target = check_target(url.target);
  if (!target.has_value()) {
    return std::unexpected(target.error());
  }
  // The canonical text can be a little longer: http://1?x becomes http://0.0.0.1/?x.
  if (url.to_string().size() > kUrlSizeMax) {
    return refuse_long_url();
  }
  return url;
}

}  // namespace net
