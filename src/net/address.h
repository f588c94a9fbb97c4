// Addresses as numbers: what the guard judges and what a socket connects to.
//
// An Address is IPv4 or IPv6 and nothing else: no port, no zone, no name. The two families are
// never mixed up: ::ffff:10.0.0.1 is an IPv6 address, different from 10.0.0.1, and the guard
// decides what that means. parse() takes the strict text forms only; the loose spellings of
// browsers (2130706433, 0x7f.1) are for url.h.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/result.h"

struct sockaddr;

namespace net {

class Address {
 public:
  static constexpr Address v4(uint32_t host_order) {
    return Address(
        true, {static_cast<uint8_t>(host_order >> 24U), static_cast<uint8_t>(host_order >> 16U),
               static_cast<uint8_t>(host_order >> 8U), static_cast<uint8_t>(host_order)});
  }
  static constexpr Address v6(const std::array<uint8_t, 16>& bytes) {
    return Address(false, bytes);
  }

  // Four decimal numbers without leading zeros, or RFC 4291 text (also with a dotted tail).
  static std::optional<Address> parse(std::string_view text);
  // What a socket call takes or gives; nothing for other families. A scope id is left out.
  static std::optional<Address> from_sockaddr(const sockaddr* address);

  bool is_v4() const { return is_v4_; }
  uint32_t v4_bits() const {
    CHECK(is_v4_);
    return uint32_t{bytes_[0]} << 24U | uint32_t{bytes_[1]} << 16U | uint32_t{bytes_[2]} << 8U |
           uint32_t{bytes_[3]};
  }
  const std::array<uint8_t, 16>& v6_bytes() const {
    CHECK(!is_v4_);
    return bytes_;
  }

  // The one canonical text, RFC 5952 for IPv6, without brackets. parse() gives the address back.
  std::string to_string() const;

  constexpr auto operator<=>(const Address&) const = default;

 private:
  constexpr Address(bool is_v4, const std::array<uint8_t, 16>& bytes)
      : is_v4_(is_v4), bytes_(bytes) {}

  bool is_v4_;
  std::array<uint8_t, 16> bytes_;  // an IPv4 address in the first four, then zeros
};

// A block of addresses of one family: 10.0.0.0/8, fd00::/8.
struct Cidr {
  Address address;  // with all bits after the prefix zero
  int prefix;

  // An address without a slash is a block of one. Bits after the prefix must be zero: 10.0.0.1/8
  // is a mistake that would open more than its writer sees.
  static base::Result<Cidr> parse(std::string_view text);

  bool contains(const Address& other) const;
  bool is_single() const { return prefix == (address.is_v4() ? 32 : 128); }
  std::string to_string() const;

  auto operator<=>(const Cidr&) const = default;
};

}  // namespace net
