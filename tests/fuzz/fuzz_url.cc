// parse_url: what it accepts is canonical, cannot be read as another host by a C library, and is
// judged as its address alone.

#include <arpa/inet.h>

#include <algorithm>
#include <string>

#include "base/check.h"
#include "net/address_guard.h"
#include "net/url.h"
#include "tests/fuzz/fuzz_target.h"

namespace fuzz {

namespace {

bool is_harmless(char c) { return c > ' ' && c < '\x7f' && c != '\\'; }

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
         c == ':';
}

// The oldest of all address readers, which getaddrinfo() uses too.
bool reads_as_address(const std::string& host, uint32_t& bits) {
  in_addr address{};
  const bool is_read = inet_aton(host.c_str(), &address) != 0;
  bits = ntohl(address.s_addr);
  return is_read;
}

void check_parts(const net::Url& url) {
  CHECK(!url.host.empty() && url.host.size() <= 253);
  CHECK(std::ranges::all_of(url.host, is_host_character));
  CHECK(!url.host.ends_with('.'));
  CHECK(url.port != 0);
  CHECK(url.target.starts_with('/'));
  CHECK(std::ranges::all_of(url.target, is_harmless));
  CHECK(!url.target.contains('#'));
  CHECK(!url.authority().contains('@'));
}

void check_host(const net::Url& url) {
  uint32_t bits = 0;
  if (!url.literal.has_value()) {
    CHECK(!url.host.contains(':'));
    CHECK(!reads_as_address(url.host, bits));
    return;
  }
  CHECK(url.host == url.literal->to_string());
  CHECK(net::Address::parse(url.host) == url.literal);
  if (url.literal->is_v4()) {
    CHECK(reads_as_address(url.host, bits) && bits == url.literal->v4_bits());
  }
  static const net::AddressGuard kGuard({});
  CHECK(kGuard.judge(*url.literal) == kGuard.judge(*net::Address::parse(url.host)));
}

void check_url(std::string_view text) {
  const auto url = net::parse_url(text);
  if (!url.has_value()) {
    CHECK(!url.error().detail.empty());
    CHECK(std::ranges::all_of(url.error().detail, [](char c) { return c >= ' ' && c < '\x7f'; }));
    return;
  }
  check_parts(*url);
  check_host(*url);
  const std::string canonical = url->to_string();
  CHECK(canonical.size() <= net::kUrlSizeMax);
  const auto again = net::parse_url(canonical);
  CHECK(again.has_value());
  CHECK(*again == *url);
  CHECK(again->to_string() == canonical);
}

// A host that the C library takes for an address is the same address here, or refused.
void check_numeric_host(const std::string& host) {
  uint32_t bits = 0;
  if (host.contains('\0') || std::ranges::any_of(host, [](char c) { return !is_harmless(c); }) ||
      !reads_as_address(host, bits)) {
    return;
  }
  const auto url = net::parse_url("http://" + host + "/");
  if (url.has_value()) {
    CHECK(url->literal == net::Address::v4(bits));
  }
}

}  // namespace

void check(std::string_view input) {
  check_url(input);
  check_url("https://" + std::string(input));
  check_numeric_host(std::string(input));
}

}  // namespace fuzz
