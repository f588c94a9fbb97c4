// The one URL parser: an endpoint's URL is read by it when it is registered and again before each
// attempt, so that what was judged is what is connected to.
//
// It is strict. What browsers repair (backslashes, tabs, missing slashes, percent signs in a host)
// is refused with words that say how to write it right, because two readers of a repaired URL
// disagree about its host. The one leniency it copies from browsers is numeric hosts: 2130706433,
// 0x7f.1 and 0177.0.0.1 are all the address 127.0.0.1 to every C library, so they become that
// literal here and never reach a resolver.
//
// It does not judge: whether the host may be reached is for AddressGuard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/address.h"

namespace net {

inline constexpr size_t kUrlSizeMax = 2048;

struct Url {
  bool is_tls = false;
  // Canonical: lower case, no trailing dot, IPv6 without brackets. At most 253 characters.
  std::string host;
  std::optional<Address> literal;  // the host is this address; there is nothing to resolve
  uint16_t port = 0;               // 1 to 65535, the scheme's default filled in
  std::string target;              // path and query as given, at least "/"; the fragment is dropped

  bool has_default_port() const { return port == (is_tls ? 443 : 80); }
  // For the Host header: brackets around IPv6, the port only if it is not the default.
  std::string authority() const;
  // The canonical text; parse_url() gives an equal Url back.
  std::string to_string() const;

  friend bool operator==(const Url&, const Url&) = default;
};

// The error's detail says what is wrong and how to put it right, and quotes nothing of the text:
// URLs carry secrets.
base::Result<Url> parse_url(std::string_view text);

}  // namespace net
